import Testing
import VitrineCodecs
import VitrineGraphics
import VitrineLoading

@Suite struct PNGDecodingTests {
  @Test(arguments: [PixelFormat.bgra, .rgba], [false, true])
  func rgbaKeepsEachPixel(pixelFormat: PixelFormat, isInterlaced: Bool) throws {
    var fixture = PNGFixture(width: 13, height: 11) { x, y in [x * 19, y * 23, 7, 250 - x] }
    fixture.isInterlaced = isInterlaced

    let image = try decode(fixture.bytes, as: pixelFormat)

    #expect(image.format == .png)
    #expect(image.bitmap.format == pixelFormat)
    #expect(!image.bitmap.isOpaque)
    for y in 0..<11 {
      for x in 0..<13 {
        let expected = Color(red: UInt8(x * 19), green: UInt8(y * 23), blue: 7, alpha: UInt8(250 - x))
        #expect(image.bitmap.color(x: x, y: y) == expected)
      }
    }
  }

  @Test func rgbIsOpaque() throws {
    let fixture = PNGFixture(width: 2, height: 1, colorType: 2) { x, _ in [x * 255, 10, 20] }

    let bitmap = try decode(fixture.bytes).bitmap

    #expect(bitmap.isOpaque)
    #expect(
      bitmap.colors == [[Color(red: 0, green: 10, blue: 20), Color(red: 255, green: 10, blue: 20)]])
  }

  @Test func imageWithFullAlphaEverywhereIsOpaque() throws {
    let fixture = PNGFixture(width: 3, height: 3) { x, y in [x, y, 0, 255] }

    #expect(try decode(fixture.bytes).bitmap.isOpaque)
  }

  @Test func transparentColorOfAnRGBImageIsTransparent() throws {
    var fixture = PNGFixture(width: 2, height: 1, colorType: 2) { x, _ in [x, 10, 20] }
    fixture.chunks = [("tRNS", [0, 1, 0, 10, 0, 20])]

    let bitmap = try decode(fixture.bytes).bitmap

    #expect(bitmap.color(x: 0, y: 0).alpha == 255)
    #expect(bitmap.color(x: 1, y: 0).alpha == 0)
  }

  @Test("gray images of each depth are decoded", arguments: [1, 2, 4, 8, 16])
  func grayImagesOfEachDepthAreDecoded(depth: Int) throws {
    let largest = 1 << depth - 1
    let fixture = PNGFixture(width: 9, height: 2, depth: depth, colorType: 0) { x, _ in
      [x % 2 == 0 ? largest : 0]
    }

    let bitmap = try decode(fixture.bytes).bitmap

    #expect(bitmap.isOpaque)
    #expect(bitmap.colors[1] == (0..<9).map { $0 % 2 == 0 ? .white : .black })
  }

  @Test func grayWithAlphaBecomesColorWithAlpha() throws {
    let fixture = PNGFixture(width: 1, height: 1, colorType: 4) { _, _ in [90, 30] }

    let color = try decode(fixture.bytes).bitmap.color(x: 0, y: 0)

    #expect(color == Color(red: 90, green: 90, blue: 90, alpha: 30))
  }

  @Test(
    "palette images of each depth are decoded, interlaced or not", arguments: [1, 2, 4, 8], [false, true])
  func paletteImagesOfEachDepthAreDecoded(depth: Int, isInterlaced: Bool) throws {
    var fixture = PNGFixture(width: 10, height: 9, depth: depth, colorType: 3) { x, y in [(x + y) % 2] }
    fixture.isInterlaced = isInterlaced
    fixture.chunks = [("PLTE", [255, 0, 0, 0, 0, 255]), ("tRNS", [128])]

    let bitmap = try decode(fixture.bytes).bitmap

    #expect(bitmap.color(x: 4, y: 4) == Color(red: 255, green: 0, blue: 0, alpha: 128))
    #expect(bitmap.color(x: 5, y: 4) == .pureBlue)
  }

  @Test func sixteenBitsAreRoundedToEight() throws {
    let fixture = PNGFixture(width: 1, height: 1, depth: 16) { _, _ in [0x01FF, 0x0101, 0xFFFF, 0x8080] }

    let color = try decode(fixture.bytes).bitmap.color(x: 0, y: 0)

    #expect(color == Color(red: 2, green: 1, blue: 255, alpha: 0x80))
  }

  @Test func orientationOfExifChunkIsApplied() throws {
    var fixture = PNGFixture(width: 2, height: 1) { x, _ in [x * 255, 0, 0, 255] }
    fixture.chunks = [("eXIf", exif(orientation: 6))]

    let image = try decode(fixture.bytes)

    #expect(image.bitmap.colors == [[.black], [.pureRed]])
    #expect((image.sourceWidth, image.sourceHeight) == (1, 2))
  }

  @Test func damagedTextAndProfileChunksAreIgnored() throws {
    var fixture = PNGFixture(width: 1, height: 1) { _, _ in [1, 2, 3, 255] }
    fixture.chunks = [
      ("iCCP", Array("name\0\0broken".utf8)), ("zTXt", Array("Title\0\0broken".utf8)),
      ("tEXt", [UInt8](repeating: 65, count: 100_000)),
    ]
    fixture.trailingChunks = [("iTXt", Array("junk".utf8))]

    #expect(try decode(fixture.bytes).bitmap.color(x: 0, y: 0) == Color(red: 1, green: 2, blue: 3))
  }

  @Test(arguments: [false, true])
  func transparentPixelsDoNotBleedIntoAScaledImage(isInterlaced: Bool) throws {
    var fixture = PNGFixture(width: 4, height: 4) { x, _ in x < 2 ? [200, 100, 0, 255] : [0, 255, 255, 0] }
    fixture.isInterlaced = isInterlaced

    let bitmap = try decode(fixture.bytes, to: DecodeTarget(width: 1, height: 1)).bitmap

    #expect(bitmap.color(x: 0, y: 0) == Color(red: 200, green: 100, blue: 0, alpha: 128))
    #expect(!bitmap.isOpaque)
  }

  @Test func truncatedPNGIsDamage() {
    let bytes = PNGFixture(width: 2, height: 2) { _, _ in [1, 2, 3, 4] }.bytes

    #expect(error(Array(bytes.dropLast(12))) == .decoding(.png, message: "ends before IEND"))
    #expect(error(Array(bytes.dropLast(1))) == .decoding(.png, message: "ends before IEND"))
    #expect(error(Array(bytes.prefix(50))) == .decoding(.png, message: "ends inside a chunk"))
  }

  @Test func truncatedHugeTextChunkIsDamage() {
    // SDL2_image hangs on this file: libpng's contrib/testpngs/crashers/huge_tEXt_chunk.png.
    let header = PNGFixture(width: 1, height: 1) { _, _ in [] }.header
    let bytes =
      [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + PNGFixture.chunk("IHDR", header)
      + [0x7F, 0xFF, 0xFF, 0xFF] + Array("tEXt".utf8) + [UInt8](repeating: 0, count: 16)

    #expect(error(bytes) == .decoding(.png, message: "ends inside a chunk"))
  }

  @Test func wrongChecksumOfPixelDataIsDamage() {
    var bytes = PNGFixture(width: 2, height: 2) { _, _ in [1, 2, 3, 4] }.bytes
    bytes[bytes.count - 13] ^= 1

    #expect(error(bytes)?.isDamage(of: .png) == true)
  }

  @Test func unknownColorTypesAndDepthsAreDamage() {
    for (depth, colorType) in [(8, 5), (3, 0), (16, 3), (0, 2), (255, 6)] {
      let fixture = PNGFixture(width: 1, height: 1) { _, _ in [1, 2, 3, 4] }
      var header = fixture.header
      header[8] = UInt8(depth)
      header[9] = UInt8(colorType)
      let bytes =
        Array(fixture.bytes.prefix(8)) + PNGFixture.chunk("IHDR", header) + fixture.bytes.dropFirst(33)

      #expect(error(bytes)?.isDamage(of: .png) == true, "depth \(depth), color type \(colorType)")
    }
  }
}
