import Testing
import VitrineTesting

@testable import VitrineCodecs

/// The decisions about saved canvases.
@Suite struct CanvasPlanTests {
  /// Composes frames by the decisions of a plan, and counts.
  private struct Composer {
    let keyframes: [Int]
    var plan: CanvasPlan
    var saved: Set<Int> = []
    var shown: Int?
    var decodes = 0
    var highestCount = 0

    init(frameCount: Int, keyframeEvery interval: Int = .max, canvasBytes: Int = 1) {
      keyframes = (0..<frameCount).map { $0 / interval * interval }
      plan = CanvasPlan(frameCount: frameCount)
      plan.allowCanvases(longestRun: min(frameCount, interval) - 1, canvasBytes: canvasBytes)
    }

    mutating func show(_ frame: Int) {
      guard frame != shown else { return }
      let pass = plan.pass(to: frame, keyframe: keyframes[frame], shown: shown, saved: saved.sorted())
      var next = keyframes[frame]
      switch pass.start {
      case .shown: next = (shown ?? -1) + 1
      case .saved(let start):
        #expect(saved.contains(start))
        next = start + 1
      case .clear: break
      }
      #expect(keyframes[frame]...frame + 1 ~= next && pass.saves.allSatisfy { next..<frame ~= $0 })
      #expect(saved.isSuperset(of: pass.releases))
      decodes += frame - next + 1
      saved = saved.subtracting(pass.releases).union(pass.saves)
      #expect(saved.count <= plan.capacity)
      highestCount = max(highestCount, saved.count)
      shown = frame
    }
  }

  @Test func forwardPlayingSavesNoCanvas() {
    var composer = Composer(frameCount: 100)
    for _ in 0..<3 { for frame in 1..<100 { composer.show(frame) } }
    // Frames that are late are left out.
    for _ in 0..<3 { for frame in stride(from: 5, to: 100, by: 7) { composer.show(frame) } }
    #expect(composer.highestCount == 0)
  }

  @Test(
    "a reverse loop decodes each frame few times", arguments: [(100, 4), (219, 5), (1000, 7), (10_000, 10)])
  func reverseLoopDecodesEachFrameFewTimes(frameCount: Int, draws: Int) {
    var composer = Composer(frameCount: frameCount)
    for loop in 1...3 {
      for frame in (0..<frameCount).reversed() { composer.show(frame) }
      // The first frame of the loop needs all others, and so does the second, during which canvases are saved.
      #expect(composer.decodes <= loop * draws * frameCount + frameCount)
    }
    #expect(composer.highestCount == CanvasPlan.largestCount)
  }

  @Test func bounceDecodesEachFrameFewTimes() {
    var composer = Composer(frameCount: 100)
    for _ in 0..<3 {
      for frame in 0..<99 { composer.show(frame) }
      for frame in (1..<100).reversed() { composer.show(frame) }
    }
    #expect(composer.decodes <= 3 * 100 * 5)
  }

  @Test func canvasesAreReleasedAtTheBeginningAndAfterALoopForward() {
    var composer = Composer(frameCount: 100)
    for frame in (0..<100).reversed() { composer.show(frame) }
    #expect(composer.saved.isEmpty)
    for frame in [90, 89, 88] { composer.show(frame) }
    #expect(!composer.saved.isEmpty)
    for frame in 89..<100 { composer.show(frame) }
    #expect(!composer.saved.isEmpty, "playing may bounce")
    for frame in 1..<100 { composer.show(frame) }
    #expect(composer.saved.isEmpty)
  }

  @Test func nearKeyframesNeedNoCanvases() {
    var composer = Composer(frameCount: 100, keyframeEvery: 4)
    for frame in (0..<100).reversed() { composer.show(frame) }
    #expect(composer.highestCount == 0 && composer.decodes == 100 / 4 * (1 + 2 + 3 + 4))
  }

  @Test func runsBetweenKeyframesAreShownInReverseWithFewCanvases() {
    var composer = Composer(frameCount: 100, keyframeEvery: 20)
    for frame in (0..<100).reversed() { composer.show(frame) }
    #expect(composer.highestCount == 4 && composer.decodes <= 100 * 4)
  }

  @Test func largeCanvasesAreFewerOrNone() {
    #expect(Composer(frameCount: 100, canvasBytes: CanvasPlan.byteLimit / 8).plan.capacity == 8)
    #expect(Composer(frameCount: 100, canvasBytes: CanvasPlan.byteLimit / 3).plan.capacity == 3)
    var composer = Composer(frameCount: 20, canvasBytes: CanvasPlan.byteLimit + 1)
    for frame in (0..<20).reversed() { composer.show(frame) }
    #expect(composer.highestCount == 0 && composer.decodes == 20 * 21 / 2)
  }

  @Test func twoViewsThatPlayForwardAtDistantFramesShareCanvases() {
    var composer = Composer(frameCount: 400)
    for frame in 0..<150 {
      composer.show(200 + frame)
      composer.show(180 + frame)
    }
    // Each step goes forward by 20 frames, and back to a canvas that is near, instead of to the first frame.
    #expect(composer.decodes <= 150 * 50 + 400)
  }

  @Test(arguments: 1...50 as ClosedRange<UInt64>) func randomJumpsKeepTheLimits(seed: UInt64) {
    var numbers = SplitMix(state: seed)
    let count = Int.random(in: 1...300, using: &numbers)
    var composer = Composer(
      frameCount: count, keyframeEvery: Int.random(in: 1...200, using: &numbers),
      canvasBytes: CanvasPlan.byteLimit / Int.random(in: 1...10, using: &numbers))
    for _ in 0..<500 {
      let near = (composer.shown ?? 0) + Int.random(in: -5...5, using: &numbers)
      let isNear = Int.random(in: 0..<8, using: &numbers) > 0
      composer.show(isNear ? min(max(0, near), count - 1) : Int.random(in: 0..<count, using: &numbers))
      // Canvases may be released at all times, and a frame that is given up is on no canvas.
      if Int.random(in: 0..<20, using: &numbers) == 0 { composer.saved = [] }
      if Int.random(in: 0..<20, using: &numbers) == 0 { composer.shown = nil }
    }
    #expect(composer.highestCount <= CanvasPlan.largestCount)
  }
}
