import Synchronization
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineAnimation
@testable import VitrineWidgets

/// Views of animations with a damaged frame, whose image or settings change.
@Suite(.timeLimit(.minutes(5))) struct DamagedPlayerTests {
  private let test = TestWindow(size: Size(width: 400, height: 300))

  private func animation(side: Int = 8, frameCount: Int = 6, damagedFrom: Int = .max) -> CountingAnimation {
    CountingAnimation(frameCount: frameCount, side: side, damagedFrom: damagedFrom, file: [1, 2, 3])
  }

  /// Runs frames of the window until the frames that the handler was told of end with `frames`.
  private func untilShown(_ frames: [Int], _ player: AnimationPlayer) async throws {
    var seen: [Int] = []
    player.frameHandler = { seen.append($0) }
    try await until {
      // The time goes on only when all frames that were asked for are decoded, so that none is left out.
      if FramePool.shared.isIdle { test.advance(by: 0.01) }
      return seen.suffix(frames.count) == frames
    }
  }

  @Test(arguments: [true, false]) func undamagedVariantPlaysAllItsFrames(isInRealTime: Bool) async throws {
    test.window.isInRealTime = isInRealTime
    let view = test.addView(animation(damagedFrom: 3).image)
    let player = try #require(view.animationPlayer)
    try await untilShown([1, 2, 0, 1], player)
    let loops = player.endedLoops

    view.image = animation(side: 16).image

    #expect(view.animationPlayer === player && player.frameIndex == 1 && player.endedLoops == loops)
    try await untilShown([2, 3, 4, 5, 0], player)
  }

  @Test func undamagedVariantPlaysAfterAFirstFrameThatStayed() async throws {
    let view = test.addView(animation(damagedFrom: 1).image)
    let player = try #require(view.animationPlayer)
    test.draw()
    try await until {
      // The other frames are found to be damaged when they are decoded.
      if FramePool.shared.isIdle { test.advance(by: 0.5) }
      return test.window.nextDeadline == nil
    }
    #expect(player.frameIndex == 0)

    view.image = animation(side: 16).image

    try await untilShown([1, 2, 3], player)
  }

  @Test func copyForAnotherStatePlaysAllFrames() async throws {
    let button = Button(frame: Rect(x: 0, y: 0, width: 100, height: 100))
    test.window.addSubview(button)
    let (damaged, whole) = (animation(damagedFrom: 3).image, animation(side: 16).image)
    button.setImage(damaged, for: .normal)
    button.setBackgroundImage(damaged, for: .normal)
    try await untilShown([1, 2, 0, 1], try #require(button.animationPlayer(for: damaged)))

    button.setImage(whole, for: .normal)

    try await untilShown([2, 3, 4, 5, 0], try #require(button.animationPlayer(for: whole)))
  }

  @Test func stoppedPlayerTriesADamagedFrameAgain() async throws {
    let animation = animation(damagedFrom: 3)
    let view = test.addView(animation.image.storingFrames(as: .streaming))
    let player = try #require(view.animationPlayer)
    try await untilShown([1, 2, 0, 1], player)
    var triesOfDamaged: Int { animation.counts.withLock { $0.frames.filter { $0 == 3 }.count } }
    let before = triesOfDamaged

    player.stop()
    player.play()

    try await untilShown([1, 2, 0], player)
    #expect(before > 0 && triesOfDamaged > before)
  }

  @Test func loopCountThatWasPlayedEndsAnAnimationOfOneFrame() throws {
    let player = try #require(test.addView(animation(damagedFrom: 1).image).animationPlayer)
    var ends = 0
    player.endHandler = { ends += 1 }
    test.draw()
    test.advance(by: 0.5)
    #expect(player.isPlaying && test.window.nextDeadline == nil)

    player.loopCount = 2
    test.advance(by: 0.02)

    #expect(ends == 1 && !player.isPlaying && player.frameIndex == 0 && test.window.nextDeadline == nil)
  }

  @Test func loopsOfOneFrameDoNotWakeTheWindow() throws {
    let image = CountingAnimation(frameCount: 6, loopCount: 65_535, damagedFrom: 1).image
    let player = try #require(test.addView(image).animationPlayer)
    test.draw()
    test.advance(by: 0.5)
    let runs = test.framesRun
    test.advance(by: 6000)
    #expect(test.framesRun == runs && player.isPlaying)
    test.advance(by: 600)
    #expect(!player.isPlaying && player.endedLoops == 65_535 && test.window.nextDeadline == nil)
  }
}
