import Testing
import VitrineCodecs
import VitrineGraphics
import VitrineLoading

@Suite struct WebPDecodingTests {
  @Test(arguments: [PixelFormat.bgra, .rgba])
  func losslessKeepsEachPixel(pixelFormat: PixelFormat) throws {
    let image = try decode(WebPFixture.losslessAlpha, as: pixelFormat)

    #expect(image.format == .webp)
    #expect(!image.bitmap.isOpaque)
    #expect(
      image.bitmap.colors == [
        [.pureRed, .pureGreen, .pureBlue, .white],
        [
          .clear, Color(red: 255, green: 0, blue: 0, alpha: 128), .black,
          Color(red: 10, green: 20, blue: 30, alpha: 40),
        ],
      ])
  }

  @Test func webPWithoutAlphaIsOpaque() throws {
    #expect(try decode(WebPFixture.losslessOpaque).bitmap.colors == [[.pureRed, .pureGreen, .pureBlue]])
    #expect(try decode(WebPFixture.losslessOpaque).bitmap.isOpaque)
    #expect(try decode(WebPFixture.lossy).bitmap.isOpaque)
  }

  @Test(arguments: [PixelFormat.bgra, .rgba])
  func lossyWebPApproximatesColorsInFullSizeAndScaled(pixelFormat: PixelFormat) throws {
    let full = try decode(WebPFixture.lossy, as: pixelFormat)
    let small = try decode(
      WebPFixture.lossy, to: DecodeTarget(width: 16, height: 16, mode: .fit), as: pixelFormat)

    #expect((small.pixelWidth, small.pixelHeight) == (16, 12))
    #expect((small.sourceWidth, small.sourceHeight) == (64, 48))
    #expect(full.bitmap.color(x: 8, y: 8).distance(to: .pureRed) < 6)
    #expect(full.bitmap.color(x: 56, y: 40).distance(to: .pureBlue) < 6)
    #expect(small.bitmap.color(x: 2, y: 2).distance(to: .pureRed) < 6)
    #expect(small.bitmap.color(x: 14, y: 10).distance(to: .pureBlue) < 6)
  }

  @Test func lossyWithAlphaIsNotOpaque() throws {
    let bitmap = try decode(WebPFixture.lossyAlpha, to: DecodeTarget(width: 32, height: 24)).bitmap

    #expect(!bitmap.isOpaque)
    #expect(bitmap.color(x: 4, y: 2).alpha == 0)
    #expect(bitmap.color(x: 4, y: 20).distance(to: .pureRed) < 6)
  }

  @Test func transparentPixelsDoNotBleedIntoAScaledImage() throws {
    let bitmap = try decode(WebPFixture.lossyEdge, to: DecodeTarget(width: 11, height: 11)).bitmap

    let edge = bitmap.color(x: 5, y: 5)
    #expect(edge.distance(to: Color(red: 255, green: 0, blue: 0, alpha: 128)) < 20)
  }

  @Test func bitmapOfAnimatedWebPIsItsFirstFrame() throws {
    let full = try decode(WebPFixture.animated)
    let small = try decode(WebPFixture.animated, to: DecodeTarget(width: 4, height: 4))

    #expect(full.frameCount == 2)
    #expect(full.bitmap.isOpaque)
    #expect(full.bitmap.color(x: 15, y: 15) == .pureRed)
    #expect(small.bitmap.color(x: 3, y: 3) == .pureRed)
  }

  @Test func pixelsOutsideOfTheFrameAreTransparent() throws {
    let full = try decode(WebPFixture.animatedPreview).bitmap
    let small = try decode(WebPFixture.animatedPreview, to: DecodeTarget(width: 8, height: 8)).bitmap

    #expect(!full.isOpaque)
    for y in 0..<16 {
      for x in 0..<16 {
        let isInside = 4..<12 ~= x && 6..<14 ~= y
        #expect(full.color(x: x, y: y) == (isInside ? .pureGreen : .clear))
      }
    }
    #expect(small.color(x: 2, y: 3) == .pureGreen)
    #expect(small.color(x: 1, y: 3) == .clear)
  }

  @Test func orientationOfExifIsApplied() throws {
    let image = try decode(WebPFixture.rotated)

    #expect(image.bitmap.colors == [[.pureRed], [.pureGreen], [.pureBlue]])
    #expect((image.sourceWidth, image.sourceHeight) == (1, 3))
  }

  @Test func truncatedWebPIsDamage() {
    for bytes in WebPFixture.all {
      for count in 12..<bytes.count - 1 {
        #expect(error(Array(bytes.prefix(count)))?.isDamage(of: .webp) == true)
      }
    }
  }
}
