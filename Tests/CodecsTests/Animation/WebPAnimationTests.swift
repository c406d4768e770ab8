import Testing
import VitrineCodecs
import VitrineGraphics
import VitrineLoading
import VitrineTesting

/// Frames of animated WebP beside those of libwebp's own animation decoder.
@Suite(.timeLimit(.minutes(5))) struct WebPAnimationTests {
  /// Decodes all frames in order.
  private func frames(_ image: Image) throws -> [Bitmap] {
    let animation = try #require(image.animation)
    let decoder = try animation.makeDecoder()
    return try (0..<animation.frameCount).map { try decoder.frame($0) { false } }
  }

  /// Records each frame that differs from that of libwebp.
  private func expectFramesOfLibwebp(_ bytes: [UInt8], as format: PixelFormat = .bgra) throws {
    let reference = try #require(WebPReference(bytes))
    let image = try decode(bytes, as: format)
    let bitmaps = try frames(image)

    #expect(bitmaps.count == reference.frames.count)
    #expect(image.loopCount == reference.loopCount)
    #expect(image.bitmap.redGreenBlueAlpha == bitmaps.first?.redGreenBlueAlpha)
    for (index, (bitmap, expected)) in zip(bitmaps, reference.frames).enumerated() {
      #expect(bitmap.redGreenBlueAlpha == expected, "frame \(index)")
      #expect(bitmap.isOpaque == !stride(from: 3, to: expected.count, by: 4).contains { expected[$0] < 255 })
    }
    let milliseconds = reference.milliseconds.map { $0 < 11 ? 100 : $0 }
    #expect(image.animation?.durations == milliseconds.map { Double($0) / 1000 })
  }

  @Test("SD-K22 animated WebP is decoded with all frames, durations and the loop count")
  func animatedWebPIsDecoded() throws {
    let colors = [Color.pureRed, .pureGreen, .pureBlue]
    var fixture = WebPAnimationFixture(
      width: 6, height: 4,
      frames: colors.enumerated().map { index, color in
        .init(width: 6, height: 4, milliseconds: 40 + 10 * index) { _, _ in color }
      })
    fixture.loopCount = 5

    let image = try decode(fixture.bytes)

    #expect(image.format == .webp && image.isAnimated)
    #expect((image.frameCount, image.loopCount) == (3, 5))
    #expect(image.animation?.durations == [0.04, 0.05, 0.06])
    #expect(image.animation?.isComplete == true)
    #expect(image.bitmap.color(x: 5, y: 3) == .pureRed)
    #expect(try frames(image).map { $0.color(x: 5, y: 3) } == colors)
  }

  @Test("YY-B41 disposal and blending give the frames of animated WebP", arguments: 0..<64)
  func framesAreComposedByTheirMethods(combination: Int) throws {
    func bit(_ number: Int) -> Bool { combination >> number & 1 == 1 }
    @Sendable func color(_ x: Int, _ y: Int, _ seed: Int) -> Color {
      let alpha: [UInt8] = [0, 3, 128, 250, 255]
      return Color(
        red: UInt8(truncatingIfNeeded: x * 29 + seed), green: UInt8(truncatingIfNeeded: y * 31 + seed * 7),
        blue: UInt8(seed), alpha: alpha[(x * 3 + y + seed) % 5])
    }
    var fixture = WebPAnimationFixture(
      width: 20, height: 14,
      frames: [
        .init(width: 20, height: 14) { color($0, $1, 10) },
        .init(width: 20, height: 14) { color($0, $1, 60) },
        .init(x: 4, y: 6, width: 13, height: 7) { color($0, $1, 110) },
        .init(width: 20, height: 14) { color($0, $1, 200) },
      ])
    if bit(0) { (fixture.frames[1].x, fixture.frames[1].y) = (2, 4) }
    if bit(0) { (fixture.frames[1].width, fixture.frames[1].height) = (9, 5) }
    fixture.frames[0].isCleared = bit(1)
    fixture.frames[1].isCleared = bit(2)
    fixture.frames[2].isCleared = bit(3)
    fixture.frames[1].isBlended = bit(4)
    fixture.frames[2].isBlended = bit(5)

    try expectFramesOfLibwebp(fixture.bytes, as: bit(1) ? .bgra : .rgba)
  }

  @Test(arguments: UInt64(0)..<80) func randomAnimationsAreThoseOfLibwebp(seed: UInt64) throws {
    let fixture = WebPAnimationFixture.random(seed: seed)

    try expectFramesOfLibwebp(fixture.bytes, as: seed % 2 == 0 ? .bgra : .rgba)
  }

  @Test(arguments: UInt64(0)..<12) func animationsOfLibwebpsEncoderAreThoseOfItsDecoder(seed: UInt64) throws {
    try expectFramesOfLibwebp(WebPAnimationFixture.writtenByEncoder(seed: seed))
  }

  @Test(arguments: UInt64(0)..<20) func framesInAnyOrderAreThoseInOrder(seed: UInt64) throws {
    let image = try decode(WebPAnimationFixture.random(seed: seed, frameCount: 12).bytes)
    let inOrder = try frames(image).map(\.redGreenBlueAlpha)
    let decoder = try #require(image.animation).makeDecoder()
    var numbers = SplitMix(state: seed)

    for _ in 0..<40 {
      let index = Int.random(in: 0..<12, using: &numbers)
      #expect(try decoder.frame(index) { false }.redGreenBlueAlpha == inOrder[index], "frame \(index)")
    }
  }

  @Test func durationsOfTenMillisecondsOrLessCountAsATenthOfASecond() throws {
    let milliseconds = [0, 1, 10, 11, 65_536, 0xFF_FFFF]
    let fixture = WebPAnimationFixture(
      width: 1, height: 1,
      frames: milliseconds.map { .init(width: 1, height: 1, milliseconds: $0) { _, _ in .white } })

    let durations = try decode(fixture.bytes).animation?.durations

    #expect(durations == [0.1, 0.1, 0.1, 0.011, 65.536, 16_777.215])
  }

  @Test func pixelsWithoutTheirAlphaAreOpaque() throws {
    var fixture = WebPAnimationFixture.random(seed: 5, frameCount: 3)
    for index in fixture.frames.indices {
      fixture.frames[index].isLossy = true
      fixture.frames[index].color = { Color(red: 90, green: UInt8($0), blue: 9, alpha: UInt8($1 % 7)) }
    }
    fixture.announcesAlpha = false
    try expectFramesOfLibwebp(fixture.bytes)
    let pixels = fixture.frames[1].pixels
    let alphaCount = 8 + Int(pixels[4]) + Int(pixels[5]) << 8
    try #require(Array(pixels[..<4]) == Array("ALPH".utf8))

    let bytes = fixture.bytes(
      replacingPixelsOf: 1, by: Array(pixels[(alphaCount + alphaCount % 2)...]))

    try expectFramesOfLibwebp(bytes)
  }

  @Test func singleFrameIsStillAndAnimationCanBeLeftOut() throws {
    var fixture = WebPAnimationFixture.random(seed: 1, frameCount: 1)
    #expect(try !decode(fixture.bytes).isAnimated)
    fixture.frames.append(fixture.frames[0])

    let still = try ImageCodecs().decode(fixture.bytes, options: DecodeOptions(decodesAnimation: false))

    #expect(try decode(fixture.bytes).isAnimated)
    #expect(!still.isAnimated)
  }

  @Test func cancelledFrameIsNotDecoded() throws {
    for seed in [UInt64(2), 7] {
      let animation = try #require(try decode(WebPAnimationFixture.random(seed: seed).bytes).animation)
      let decoder = try animation.makeDecoder()

      #expect(throws: AnimationError.cancelled) { try decoder.frame(5) { true } }
      #expect(throws: AnimationError.damaged("no frame 8")) { try decoder.frame(8) { false } }
      #expect(throws: Never.self) { try decoder.frame(5) { false } }
    }
  }
}

/// Frames of animated WebP in another size, orientation or color space.
@Suite(.timeLimit(.minutes(5))) struct WebPAnimationScalingTests {
  private static let target = DecodeTarget(width: 16, height: 12)

  private func frame(_ index: Int, of image: Image) throws -> Bitmap {
    try #require(image.animation).makeDecoder().frame(index) { false }
  }

  @Test(arguments: [false, true], [false, true])
  func framesThatCoverTheCanvasAreScaledAsStillImages(isLossy: Bool, hasAlpha: Bool) throws {
    let frames = (0..<4).map { number in
      WebPAnimationFixture.Frame(
        width: 70, height: 50, isBlended: !hasAlpha, isCleared: number == 1, isLossy: isLossy
      ) { x, y in
        let color = patternColor(x: x + number * 9, y: y)
        return Color(
          red: color.red, green: color.green, blue: color.blue, alpha: hasAlpha ? UInt8(x * 3) : 255)
      }
    }
    let image = try decode(
      WebPAnimationFixture(width: 70, height: 50, frames: frames).bytes, to: Self.target)

    for (index, frame) in frames.enumerated() {
      let still = WebPAnimationFixture(width: 70, height: 50, frames: [frame]).bytes
      let expected = try decode(still, to: Self.target).bitmap
      #expect(try self.frame(index, of: image).redGreenBlueAlpha == expected.redGreenBlueAlpha)
    }
    #expect(image.animation?.frameByteCount == image.bitmap.byteCount)
  }

  @Test(arguments: UInt64(0)..<8) func composedFramesAreScaledAfterComposing(seed: UInt64) throws {
    let file = WebPAnimationFixture.writtenByEncoder(seed: seed)
    let (full, scaled) = (try decode(file), try decode(file, to: Self.target))

    for index in [3, 0, 7] {
      let composed = try ImageCodecs().encode(Image(try frame(index, of: full)), as: .png)
      let expected = try decode(composed, to: Self.target).bitmap
      #expect(try frame(index, of: scaled).redGreenBlueAlpha == expected.redGreenBlueAlpha)
    }
  }

  @Test func orientationAppliesToAllFrames() throws {
    let frames = [
      WebPAnimationFixture.Frame(width: 4, height: 2) { _, _ in .white },
      .init(x: 2, y: 0, width: 2, height: 1) { x, _ in x == 0 ? .pureRed : .pureGreen },
    ]
    var fixture = WebPAnimationFixture(width: 4, height: 2, frames: frames)
    fixture.extraFlags = 0x08
    fixture.chunksAfterFrames = WebPAnimationFixture.chunk("EXIF", exif(orientation: 6))

    let image = try decode(fixture.bytes)

    #expect((image.sourceWidth, image.sourceHeight) == (2, 4))
    let second = try frame(1, of: image)
    // The file's top row is the right column after a quarter turn clockwise.
    #expect(second.colors.map { $0[1] } == [.white, .white, .pureRed, .pureGreen])
    #expect(second.colors.map { $0[0] } == [.white, .white, .white, .white])
  }
}
