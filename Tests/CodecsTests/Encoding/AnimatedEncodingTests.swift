import Testing
import VitrineGraphics
import VitrineLoading

@testable import VitrineCodecs

/// Encodes animations, and reads the files with libwebp, byte by byte, or with the codecs.
@Suite(.timeLimit(.minutes(5))) struct AnimatedEncodingTests {
  private static let durations = [0.1, 0.25, 0.05, 0.02, 1.5]

  /// Five frames of 12x10 pixels: a bar of three columns moves to the right over a transparent or white background.
  private static func frames(_ format: PixelFormat = .bgra, isOpaque: Bool = false) -> [Image.Frame] {
    durations.enumerated().map { index, duration in
      let bitmap = Bitmap(width: 12, height: 10, format: format, isOpaque: isOpaque) { pixels, bytesPerRow in
        for y in 0..<10 {
          for x in 0..<12 {
            let isBar = x / 2 == index
            let (red, blue): (UInt8, UInt8) = isBar ? (200, 40) : (255, 255)
            let start = y * bytesPerRow + x * 4
            pixels[start] = format == .rgba ? red : blue
            pixels[start + 1] = isBar ? UInt8(index * 20) : 255
            pixels[start + 2] = format == .rgba ? blue : red
            pixels[start + 3] = isOpaque || isBar ? 255 : 0
          }
        }
      }
      return Image.Frame(bitmap: bitmap, duration: duration)
    }
  }

  @Test(arguments: [PixelFormat.bgra, .rgba], [false, true])
  func animatedWebPKeepsDurationsLoopCountAndAlpha(format: PixelFormat, isOpaque: Bool) throws {
    let frames = Self.frames(format, isOpaque: isOpaque)

    let file = try ImageCodecs().encode(Image(frames: frames, loopCount: 3), as: .webp)

    let decoded = try #require(WebPReference(file))
    #expect(decoded.loopCount == 3)
    #expect(decoded.milliseconds == [100, 250, 50, 20, 1500])
    for (bytes, frame) in zip(decoded.frames, frames) {
      let expected = frame.bitmap.redGreenBlueAlpha
      for start in stride(from: 0, to: expected.count, by: 4) {
        #expect(bytes[start + 3] == expected[start + 3])
        guard expected[start + 3] > 0 else { continue }
        for channel in start..<start + 3 { #expect(abs(Int(bytes[channel]) - Int(expected[channel])) < 60) }
      }
    }
  }

  @Test func equalFramesOfAnAnimatedWebPAreKept() throws {
    let frame = Self.frames()[0]

    let file = try ImageCodecs().encode(Image(frames: [frame, frame, frame]), as: .webp)

    let decoded = try #require(WebPReference(file))
    #expect(decoded.milliseconds == [100, 100, 100])
    #expect(decoded.loopCount == 0)
    #expect(Set(decoded.frames).count == 1)
  }

  @Test func smallChangeMakesASmallFrameOfAnAnimatedWebP() {
    let (first, second) = (Self.frames()[1].bitmap, Self.frames()[2].bitmap)

    #expect(
      WebPAnimationEncoder.changes(in: first, since: nil) == PixelArea(x: 0, y: 0, width: 12, height: 10))
    #expect(
      WebPAnimationEncoder.changes(in: second, since: first) == PixelArea(x: 2, y: 0, width: 4, height: 10))
    #expect(WebPAnimationEncoder.changes(in: first, since: first) == nil)
  }

  @Test func largeLoopCountAndDurationAreLimitedToWhatTheFileHolds() throws {
    let bitmap = Self.frames()[0].bitmap
    let frames = [1e9, 0.1].map { Image.Frame(bitmap: bitmap, duration: $0) }

    let file = try ImageCodecs().encode(frames: frames, loopCount: 1 << 40, as: .webp)

    let decoded = try #require(WebPReference(file))
    #expect(decoded.loopCount == 65_535)
    #expect(decoded.milliseconds == [16_777_000, 100])
  }

  @Test(
    arguments: [
      (.gif, 65_535, 655, 0.02), (.png, 0x7FFF_FFFF, 65, 0.011), (.webp, 65_535, 16_777, 0.011),
    ] as [(ImageFormat, Int, Double, Double)])
  func loopCountsAndDurationsAreClamped(
    format: ImageFormat, highestLoopCount: Int, longest: Double, shortest: Double
  ) throws {
    let frames = [1e9, 0.011].map { Image.Frame(bitmap: Self.frames()[0].bitmap, duration: $0) }

    let image = try decode(try ImageCodecs().encode(frames: frames, loopCount: .max, as: format))

    #expect(image.loopCount == highestLoopCount)
    #expect(image.duration(ofFrame: 0) == longest && image.duration(ofFrame: 1) == shortest)
  }

  @Test(arguments: [(0, [0, 0] as [UInt8]), (2, [2, 0]), (300, [44, 1]), (1 << 20, [255, 255])])
  func gifHasALoopBlockUnlessItIsPlayedOnce(loopCount: Int, bytes: [UInt8]) throws {
    let name = Array("NETSCAPE2.0".utf8)

    let file = try ImageCodecs().encode(frames: Self.frames(), loopCount: loopCount, as: .gif)

    let block = [0x21, 0xFF, 11] + name + [3, 1] + bytes + [0]
    #expect(Array(file[13..<13 + block.count]) == block)
    let once = try ImageCodecs().encode(frames: Self.frames(), loopCount: 1, as: .gif)
    #expect(once.firstIndex(of: 0x21) == 13)
    #expect(once[14] == 0xF9)
  }

  @Test(arguments: [0, 1, 7]) func pngHasItsNumberOfFramesAndPlays(loopCount: Int) throws {
    let file = try ImageCodecs().encode(frames: Self.frames(), loopCount: loopCount, as: .png)

    #expect(Array(file[37..<41]) == Array("acTL".utf8))
    #expect(Array(file[41..<49]) == [0, 0, 0, 5, 0, 0, 0, UInt8(loopCount)])
  }

  @Test("SD-G3 no data give no GIF; a GIF of five frames has five frames and is animated")
  func gifOfFiveFramesIsAnimated() throws {
    #expect(throws: ImageError.emptyBody) { try decode([]) }
    #expect(throws: ImageError.encoding(.gif, message: "no frames")) {
      try ImageCodecs().encode(frames: [], as: .gif)
    }

    let image = try decode(try ImageCodecs().encode(Image(frames: Self.frames())))

    #expect(image.format == .gif)
    #expect(image.isAnimated && image.frameCount == 5)
  }

  @Test("SD-K30 frames are encoded as a GIF with their pixels, durations and loop count")
  func framesAreEncodedAsAGIF() throws {
    let frames = Self.frames()

    let image = try decode(try ImageCodecs().encode(frames: frames, loopCount: 4, as: .gif))

    #expect(image.format == .gif && image.isAnimated)
    #expect(image.loopCount == 4)
    #expect(image.animation?.durations == Self.durations)
    let decoder = try #require(image.animation).makeDecoder()
    for (index, frame) in frames.enumerated() {
      let decoded = try decoder.frame(index) { false }
      // The colors of transparent pixels are not kept.
      let pairs = zip(decoded.colors.joined(), frame.bitmap.colors.joined())
      #expect(pairs.allSatisfy { $0 == $1 || ($0.alpha == 0 && $1.alpha == 0) }, "frame \(index)")
    }
  }

  @Test func animatedWebPIsEncodedAndDecoded() throws {
    let image = try decode(try ImageCodecs().encode(frames: Self.frames(), loopCount: 2, as: .webp))

    #expect(image.format == .webp && image.frameCount == 5 && image.loopCount == 2)
    #expect(image.animation?.durations == Self.durations)
    let decoder = try #require(image.animation).makeDecoder()
    for (index, frame) in Self.frames().enumerated() {
      let decoded = try decoder.frame(index) { false }
      for (one, other) in zip(decoded.colors.joined(), frame.bitmap.colors.joined()) where other.alpha > 0 {
        #expect(one.distance(to: other) < 60)
      }
    }
    let again = try decode(try ImageCodecs().encode(image))
    #expect(again.format == .webp && again.frameCount == 5)
  }

  @Test func noFramesAndFramesOfTwoSizesAreRefused() {
    let small = Bitmap(width: 1, height: 1, format: .bgra, isOpaque: true) { pixels, _ in
      pixels.copyBytes(from: [0, 0, 0, 255])
    }
    let frames = [Self.frames()[0], Image.Frame(bitmap: small)]
    for format in [ImageFormat.gif, .png, .webp, .jpeg] {
      #expect(throws: ImageError.encoding(format, message: "no frames")) {
        try ImageCodecs().encode(frames: [], as: format)
      }
      let written = format == .jpeg ? .gif : format
      #expect(throws: ImageError.encoding(written, message: "frame 1 has another size")) {
        try ImageCodecs().encode(frames: frames, as: format)
      }
    }
  }

  @Test func singleFrameBecomesAStillImage() throws {
    for format in [ImageFormat.gif, .png, .webp] {
      let image = try decode(try ImageCodecs().encode(frames: [Self.frames()[1]], as: format))
      #expect(image.format == format && !image.isAnimated)
      #expect(image.bitmap.color(x: 0, y: 0).alpha == 0)
      #expect(image.bitmap.color(x: 2, y: 0).alpha == 255)
    }
  }
}
