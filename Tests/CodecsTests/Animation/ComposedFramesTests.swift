import Testing
import VitrineGraphics
import VitrineLoading
import VitrineTesting

@testable import VitrineCodecs

@Suite struct ComposedFramesTests {
  /// Gives each frame one color and records which frames are decoded.
  private final class ColorSource: FrameSource {
    var decoded: [Int] = []
    var damaged: Set<Int> = []
    private let width: Int
    private let height: Int

    init(width: Int, height: Int) {
      self.width = width
      self.height = height
    }

    func decodeFrame(
      _ index: Int, cancellation: DecodeCancellation, draw: (_ pixels: UnsafeRawPointer, _ y: Int) -> Void
    ) throws(ImageError) {
      decoded.append(index)
      let row = [UInt32](repeating: UInt32(index) | 0xFF00_0000, count: width)
      row.withUnsafeBytes { pixels in
        for y in 0..<height { pixels.baseAddress.map { draw($0, y) } }
      }
      if damaged.contains(index) { throw .decoding(.gif, message: "damaged") }
      try cancellation.check()
    }
  }

  private let size = PixelSize(width: 4, height: 4)
  private let source = ColorSource(width: 4, height: 4)

  /// Frames that cover the canvas: opaque with `.source`, otherwise possibly transparent.
  private func makeFrames(
    _ rules: [(FrameLayout.Blend, FrameLayout.Disposal)]
  ) throws -> ComposedFrames {
    let layouts = rules.map { blend, disposal in
      FrameLayout(x: 0, y: 0, size: size, duration: 0.1, blend: blend, disposal: disposal, hasAlpha: true)
    }
    let plan = try DecodePlan(
      format: .gif, stored: size, orientation: .up, options: DecodeOptions(pixelFormat: .rgba))
    let table = AnimationTable(canvas: size, frames: layouts, loopCount: 0)
    return ComposedFrames(table, plan: plan, source: source)
  }

  private func show(_ index: Int, _ frames: ComposedFrames) throws {
    let bitmap = try frames.frame(index) { false }
    #expect(bitmap.color(x: 3, y: 3) == Color(red: UInt8(index), green: 0, blue: 0))
  }

  @Test func framesInOrderAreDecodedOnce() throws {
    let frames = try makeFrames([(.over, .none), (.over, .none), (.over, .none)])

    for index in 0..<3 { try show(index, frames) }
    try show(2, frames)

    #expect(source.decoded == [0, 1, 2])
  }

  @Test func earlierFrameIsComposedFromTheKeyframeBeforeIt() throws {
    let frames = try makeFrames([
      (.over, .none), (.over, .none), (.source, .none), (.over, .none), (.over, .none),
    ])
    try show(4, frames)
    #expect(source.decoded == [2, 3, 4])

    try show(3, frames)
    #expect(source.decoded == [2, 3, 4, 2, 3])

    try show(1, frames)
    #expect(source.decoded == [2, 3, 4, 2, 3, 0, 1])
  }

  @Test func laterFrameIsComposedFromTheCanvasOrFromALaterKeyframe() throws {
    let frames = try makeFrames([
      (.over, .none), (.over, .none), (.over, .background), (.over, .none), (.over, .none),
    ])

    try show(0, frames)
    try show(2, frames)
    #expect(source.decoded == [0, 1, 2])

    try show(0, frames)
    try show(4, frames)
    #expect(source.decoded == [0, 1, 2, 0, 3, 4], "the canvas is clear before frame 3")
  }

  @Test func framesThatAreUndoneAreSkipped() throws {
    let frames = try makeFrames([
      (.over, .none), (.source, .previous), (.over, .previous), (.over, .none),
    ])

    try show(0, frames)
    try show(3, frames)
    #expect(source.decoded == [0, 3])

    try show(2, frames)
    #expect(source.decoded == [0, 3, 0, 2])
  }

  @Test func damagedFrameIsAnErrorAndOtherFramesAreShown() throws {
    let frames = try makeFrames([(.over, .none), (.over, .none), (.over, .none)])
    source.damaged = [1]
    try show(0, frames)

    for index in [1, 2] {
      #expect(throws: AnimationError.damaged("damaged")) { try frames.frame(index) { false } }
    }

    try show(0, frames)
    source.damaged = []
    try show(2, frames)
  }

  @Test func damageIsLocatedInTheLastCallOnly() throws {
    let frames = try makeFrames([(.over, .none), (.over, .none), (.over, .none)])
    source.damaged = [1]
    #expect(throws: AnimationError.damaged("damaged")) { try frames.frame(2) { false } }
    #expect(frames.damagedFrame == 1)

    source.damaged = []
    #expect(throws: AnimationError.damaged("no frame 9")) { try frames.frame(9) { false } }
    #expect(frames.damagedFrame == 3, "all frames of the table can be decoded")
    try show(2, frames)
    #expect(frames.damagedFrame == nil)
  }

  @Test func cancelledFrameIsComposedAgain() throws {
    let frames = try makeFrames([(.over, .none), (.over, .none), (.over, .none)])
    for checks in 0..<12 {
      var left = checks
      _ = try? frames.frame(2) {
        left -= 1
        return left < 0
      }
      #expect(throws: AnimationError.cancelled) { try frames.frame(1) { true } }
      try show(checks % 3, frames)
    }
  }

  @Test(arguments: [-1, 3, Int.max, .min]) func frameThatDoesNotExistIsAnError(index: Int) throws {
    let frames = try makeFrames([(.over, .none), (.over, .none), (.over, .none)])

    #expect(throws: AnimationError.self) { try frames.frame(index) { false } }
  }

  @Test func blendIsRoundedToTheNearestColor() {
    var generator = SplitMix(state: 3)
    for alpha in 0...255 {
      let below = (0...255).map { Color.random(alpha: UInt8($0), using: &generator) }
      let above = below.map { _ in Color.random(alpha: UInt8(alpha), using: &generator) }
      var pixels = below.flatMap { [$0.red, $0.green, $0.blue, $0.alpha] }
      let source = above.flatMap { [$0.red, $0.green, $0.blue, $0.alpha] }
      pixels.withUnsafeMutableBytes { pixels in
        source.withUnsafeBytes { source in
          guard let target = pixels.baseAddress, let source = source.baseAddress else { return }
          PixelBlend.exact.draw(source, target, below.count)
        }
      }
      let expected = zip(above, below).flatMap { above, below in
        let color = above.drawn(over: below)
        return [color.red, color.green, color.blue, color.alpha]
      }
      #expect(pixels == expected, "alpha \(alpha)")
    }
  }
}
