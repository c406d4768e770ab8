import Testing
import VitrineCodecs
import VitrineGraphics
import VitrineLoading

/// Images that are scaled down to a number of bytes instead of being refused.
@Suite(.timeLimit(.minutes(1))) struct ScaleDownTests {
  private let limits = DecodeLimits(scaleDownBytes: 4_000_000)

  @Test("SD-M11 2000x2000 under 4,000,000 bytes is 1000x1000, in each preview and in the final image")
  func previewsAndFinalImage() throws {
    let black = Bitmap(width: 2000, height: 2000, format: .bgra, isOpaque: true) { _, _ in }
    let bytes = try ImageCodecs().encode(Image(black), as: .jpeg)

    let previews = try parts(of: bytes, every: bytes.count / 4, limits: limits).map(\.image)
    let final = try decode(bytes, limits: limits)

    #expect(previews.count >= 2)
    for image in previews + [final] {
      #expect(image.pixelWidth == 1000 && image.pixelHeight == 1000)
      #expect(image.sourceWidth == 2000 && image.sourceHeight == 2000)
    }
    #expect(previews.allSatisfy(\.isPartial) && !final.isPartial)
  }

  @Test("SD-M11 the previews of a progressive JPEG have the size of the final image") func progressiveJPEG()
    throws
  {
    var fixture = JPEGFixture(width: 200, height: 200, color: patternColor)
    fixture.isProgressive = true
    let limits = DecodeLimits(scaleDownBytes: 40_000)
    let images = try parts(of: fixture.bytes, every: 500, limits: limits).map(\.image)
    #expect(images.count >= 2)
    #expect(images.allSatisfy { $0.pixelWidth == 100 && $0.pixelHeight == 100 && $0.isPartial })
    #expect(try decode(fixture.bytes, limits: limits).pixelWidth == 100)
  }

  @Test("each format is scaled down with its aspect ratio, and a small image keeps its size") func formats()
    throws
  {
    let png = PNGFixture(width: 200, height: 100) { _, _ in [9, 9, 9, 255] }.bytes
    var interlaced = PNGFixture(width: 200, height: 100) { _, _ in [9, 9, 9, 255] }
    interlaced.isInterlaced = true
    let gif = GIFFixture(width: 200, height: 100) { _, _ in 0 }.bytes
    let jpeg = JPEGFixture(width: 200, height: 100) { _, _ in .white }.bytes
    for bytes in [png, interlaced.bytes, gif, jpeg] {
      let image = try decode(bytes, limits: DecodeLimits(scaleDownBytes: 50 * 25 * 4))
      #expect((image.pixelWidth, image.pixelHeight) == (50, 25))
      let whole = try decode(bytes, limits: DecodeLimits(scaleDownBytes: 200 * 100 * 4))
      #expect(whole.isFullSize && whole.pixelWidth == 200)
      let thumbnail = try decode(
        bytes, to: DecodeTarget(width: 20, height: 20), limits: DecodeLimits(scaleDownBytes: 50 * 25 * 4))
      #expect((thumbnail.pixelWidth, thumbnail.pixelHeight) == (40, 20))
    }
  }

  @Test("the result has at least one pixel and at most the allowed bytes") func extremes() {
    for (width, height) in [(1, 1), (1, 100_000), (65_535, 3), (1029, 1029), (7, 5)] {
      for bytes in [Int.min, -1, 0, 1, 4, 399, 400, 1 << 20, .max] {
        let size = DecodeOptions(limits: DecodeLimits(scaleDownBytes: bytes))
          .outputSize(sourceWidth: width, sourceHeight: height)
        #expect(size.width >= 1 && size.height >= 1)
        #expect(size.width <= width && size.height <= height)
        #expect(size.width * size.height * 4 <= max(4, bytes))
      }
    }
  }

  @Test func memoryNeededIsThatOfTheSmallerImage() {
    let bytes = PNGFixture(width: 200, height: 100) { _, _ in [9, 9, 9, 255] }.bytes
    let limited = DecodeOptions(limits: DecodeLimits(scaleDownBytes: 50 * 25 * 4))
    let codecs = ImageCodecs()
    #expect(
      codecs.memoryNeeded(for: bytes, options: limited) < codecs.memoryNeeded(for: bytes, options: .init()))
  }
}
