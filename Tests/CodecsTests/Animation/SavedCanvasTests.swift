import Testing
import VitrineGraphics
import VitrineLoading
import VitrineTesting

@testable import VitrineCodecs

/// Playing backward with saved canvases.
@Suite(.timeLimit(.minutes(5))) struct SavedCanvasTests {
  /// Draws a pixel of each frame, and counts the frames.
  private final class PixelSource: FrameSource {
    var decoded = 0

    func decodeFrame(
      _ index: Int, cancellation: DecodeCancellation, draw: (_ pixels: UnsafeRawPointer, _ y: Int) -> Void
    ) throws(ImageError) {
      decoded += 1
      withUnsafeBytes(of: UInt32(index) | 0xFF00_0000) { pixel in pixel.baseAddress.map { draw($0, 0) } }
      try cancellation.check()
    }
  }

  private static let side = 10
  private static let canvasBytes = side * side * 4
  private let source = PixelSource()

  /// Frames of one pixel each, none of which is a keyframe except the first.
  private func makeFrames(_ count: Int, _ disposal: (Int) -> FrameLayout.Disposal = { _ in .none }) throws
    -> ComposedFrames
  {
    let canvas = PixelSize(width: Self.side, height: Self.side)
    let layouts = (0..<count).map { index in
      FrameLayout(
        x: index % Self.side, y: index / Self.side % Self.side, size: PixelSize(width: 1, height: 1),
        duration: 0.1, blend: .over, disposal: disposal(index), hasAlpha: false)
    }
    let plan = try DecodePlan(
      format: .gif, stored: canvas, orientation: .up, options: DecodeOptions(pixelFormat: .rgba))
    let table = AnimationTable(canvas: canvas, frames: layouts, loopCount: 0)
    return ComposedFrames(table, plan: plan, source: source)
  }

  private func pixels(_ index: Int, _ frames: ComposedFrames) throws -> [UInt8] {
    try frames.frame(index) { false }.withUnsafeBytes { Array($0) }
  }

  @Test func reverseLoopOfHundredFramesWithoutKeyframesDecodesFewerThanFiveHundred() throws {
    let expected = try makeFrames(100)
    let forward = try (0..<100).map { try pixels($0, expected) }
    #expect(source.decoded == 100)

    let ledger = MemoryLedger(budget: 1 << 20)
    let frames = try makeFrames(100)
    frames.saveCanvases(countedIn: ledger)
    for loop in 1...3 {
      source.decoded = 0
      for index in (0..<100).reversed() { #expect(try pixels(index, frames) == forward[index], "\(loop)") }
      #expect(source.decoded < 500)
    }

    #expect(ledger.peak == 8 * Self.canvasBytes && ledger.usage.decoding == 0)
  }

  @Test func canvasesAreCountedAndReleased() throws {
    let ledger = MemoryLedger(budget: 1 << 20)
    var frames: ComposedFrames? = try makeFrames(100)
    frames?.saveCanvases(countedIn: ledger)
    for index in 0..<100 { _ = try frames?.frame(index) { false } }
    #expect(ledger.peak == 0, "nothing is saved before playing goes back")

    _ = try frames?.frame(98) { false }
    #expect(ledger.usage.decoding == 8 * Self.canvasBytes)
    #expect(frames?.releaseSavedCanvases() == 8 * Self.canvasBytes)
    #expect(ledger.usage.decoding == 0)

    _ = try frames?.frame(96) { false }
    #expect(ledger.usage.decoding == 8 * Self.canvasBytes)
    frames = nil
    #expect(ledger.usage.decoding == 0)
  }

  @Test func canvasesTakeNoMoreMemoryThanThereIs() throws {
    let ledger = MemoryLedger(budget: 3 * Self.canvasBytes + 7)
    let frames = try makeFrames(100)
    let expected = try makeFrames(100)
    frames.saveCanvases(countedIn: ledger)
    for index in (0..<100).reversed() {
      #expect(try pixels(index, frames) == pixels(index, expected))
    }
    #expect(ledger.peak == 3 * Self.canvasBytes)
  }

  @Test func framesThatAreUndoneAreNotSaved() throws {
    func disposal(_ index: Int) -> FrameLayout.Disposal { index % 3 == 2 ? .none : .previous }
    let expected = try makeFrames(60, disposal)
    let forward = try (0..<60).map { try pixels($0, expected) }
    let ledger = MemoryLedger()
    let frames = try makeFrames(60, disposal)
    frames.saveCanvases(countedIn: ledger)
    for index in (0..<60).reversed() { #expect(try pixels(index, frames) == forward[index]) }
    #expect(ledger.peak > 0)
  }

  @Test func cancelledAndReleasedCanvasesChangeNoPixel() throws {
    let expected = try makeFrames(100)
    let forward = try (0..<100).map { try pixels($0, expected) }
    let frames = try makeFrames(100)
    frames.saveCanvases(countedIn: nil)
    var numbers = SplitMix(state: 4)
    for index in (0..<100).reversed() {
      var checks = Int.random(in: 0...200, using: &numbers)
      let bitmap = try? frames.frame(index) {
        checks -= 1
        return checks < 0
      }
      if Int.random(in: 0..<7, using: &numbers) == 0 { _ = frames.releaseSavedCanvases() }
      if let bitmap { #expect(bitmap.withUnsafeBytes { Array($0) } == forward[index]) }
    }
  }

  // MARK: Formats

  private static let frameCount = 24

  private static func gif(seed: UInt64) -> [UInt8] {
    var numbers = SplitMix(state: seed)
    var fixture = AnimatedGIFFixture.random(using: &numbers)
    while fixture.frames.count < frameCount { fixture.frames += [fixture.frames, fixture.frames].joined() }
    return fixture.bytes
  }

  private static func png(seed: UInt64) -> [UInt8] {
    var numbers = SplitMix(state: seed)
    var fixture = AnimatedPNGFixture.random(using: &numbers)
    while fixture.frames.count < frameCount { fixture.frames += [fixture.frames, fixture.frames].joined() }
    return fixture.bytes
  }

  private static let files: [[UInt8]] = (1...12 as ClosedRange<UInt64>).flatMap { seed in
    [gif(seed: seed), png(seed: seed), WebPAnimationFixture.random(seed: seed, frameCount: frameCount).bytes]
  }

  @Test("frames in reverse order are those of forward decoding, in all formats", arguments: files.indices)
  func framesInReverseOrderAreThoseOfForwardDecoding(number: Int) throws {
    let image = try ImageCodecs().decode(Self.files[number], options: DecodeOptions())
    let forward = try image.composedFrames.map { $0.withUnsafeBytes { Array($0) } }
    let decoder = try #require(try image.animation?.makeDecoder())
    (decoder as? any CanvasSaving)?.saveCanvases(countedIn: nil)
    var numbers = SplitMix(state: UInt64(number))
    var order = Array((0..<forward.count).reversed()) + Array((0..<forward.count).reversed())
    order += (0..<40).map { _ in Int.random(in: 0..<forward.count, using: &numbers) }
    for index in order {
      #expect(try decoder.frame(index) { false }.withUnsafeBytes { Array($0) } == forward[index], "\(index)")
    }
  }
}
