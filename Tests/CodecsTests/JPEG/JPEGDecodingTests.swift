import Testing
import VitrineGraphics
import VitrineLoading

@testable import VitrineCodecs

@Suite struct JPEGDecodingTests {
  private let quarters: (Int, Int) -> Color = { x, y in
    switch (x < 16, y < 16) {
    case (true, true): .pureRed
    case (false, true): .pureGreen
    case (true, false): .pureBlue
    case (false, false): .white
    }
  }

  private func expectQuarters(of bitmap: Bitmap) {
    let (near, far) = (bitmap.width / 4, bitmap.width * 3 / 4)
    #expect(bitmap.isOpaque)
    #expect(bitmap.color(x: near, y: near).distance(to: .pureRed) < 6)
    #expect(bitmap.color(x: far, y: near).distance(to: .pureGreen) < 6)
    #expect(bitmap.color(x: near, y: far).distance(to: .pureBlue) < 6)
    #expect(bitmap.color(x: far, y: far).distance(to: .white) < 6)
  }

  @Test(arguments: [PixelFormat.bgra, .rgba], [nil, DecodeTarget(width: 4, height: 4)])
  func colorsHaveTheRequestedPixelFormat(pixelFormat: PixelFormat, target: DecodeTarget?) throws {
    let fixture = JPEGFixture(width: 32, height: 32, color: quarters)

    let image = try decode(fixture.bytes, to: target, as: pixelFormat)

    #expect(image.format == .jpeg)
    #expect(image.bitmap.format == pixelFormat)
    #expect((image.sourceWidth, image.sourceHeight) == (32, 32))
    expectQuarters(of: image.bitmap)
  }

  /// Lossless and hierarchical JPEGs, and samples of 12 bits.
  @Test(
    arguments: [(0xC3, 8), (0xC5, 8), (0xC6, 8), (0xCB, 8), (0xC1, 12), (0xC2, 12), (0xC9, 12)]
      as [(UInt8, UInt8)])
  func kindsThatLibjpegDoesNotDecodeAreRefusedBeforeMemoryIsTaken(marker: UInt8, bits: UInt8) throws {
    var bytes = JPEGFixture(width: 32, height: 32, color: quarters).bytes
    let frame = try #require(JPEGSegments(bytes).first { $0.marker == 0xC0 }).payload.startIndex
    bytes[frame - 3] = marker
    bytes[frame] = bits

    let error = ImageError.decoding(.jpeg, message: "neither baseline nor progressive with 8 bits")
    #expect(throws: error) { try JPEGDecoder.decode(bytes, options: DecodeOptions()) }
    #expect(throws: error) { try JPEGDecoder.memory(bytes, options: DecodeOptions()) }
  }

  @Test(arguments: [nil, DecodeTarget(width: 4, height: 4)])
  func progressiveJPEGHasTheSamePixels(target: DecodeTarget?) throws {
    var fixture = JPEGFixture(width: 32, height: 32, color: quarters)
    fixture.isProgressive = true
    fixture.subsamples = true

    expectQuarters(of: try decode(fixture.bytes, to: target).bitmap)
  }

  @Test(arguments: [PixelFormat.bgra, .rgba], [nil, DecodeTarget(width: 4, height: 4)])
  func grayJPEGIsDecodedAsGray(pixelFormat: PixelFormat, target: DecodeTarget?) throws {
    var fixture = JPEGFixture(width: 32, height: 32, color: quarters)
    fixture.model = .gray
    fixture.samples = { x, _ in [x < 16 ? 50 : 200] }

    let bitmap = try decode(fixture.bytes, to: target, as: pixelFormat).bitmap

    #expect(bitmap.isOpaque)
    #expect(bitmap.color(x: 0, y: 0).distance(to: Color(red: 50, green: 50, blue: 50)) < 3)
    #expect(bitmap.color(x: bitmap.width - 1, y: 0).distance(to: Color(red: 200, green: 200, blue: 200)) < 3)
  }

  @Test(
    "CMYK and YCCK images, inverted as Adobe writes them, are converted to RGB",
    arguments: [JPEGFixture.Model.cmyk, .ycck], [PixelFormat.bgra, .rgba])
  func cmykAndYCCKImagesAreConvertedToRGB(model: JPEGFixture.Model, pixelFormat: PixelFormat) throws {
    var fixture = JPEGFixture(width: 32, height: 32, color: quarters)
    fixture.model = model
    fixture.samples = { x, _ in x < 16 ? [255, 100, 0, 255] : [255, 255, 255, 128] }

    for target in [nil, DecodeTarget(width: 4, height: 4)] {
      let bitmap = try decode(fixture.bytes, to: target, as: pixelFormat).bitmap

      #expect(bitmap.isOpaque)
      #expect(bitmap.color(x: 0, y: 0).distance(to: Color(red: 255, green: 100, blue: 0)) < 8)
      let last = bitmap.color(x: bitmap.width - 1, y: 0)
      #expect(last.distance(to: Color(red: 128, green: 128, blue: 128)) < 8)
    }
  }

  @Test func onePixelIsDecoded() throws {
    let fixture = JPEGFixture(width: 1, height: 1) { _, _ in Color(red: 10, green: 200, blue: 30) }

    let image = try decode(fixture.bytes, to: DecodeTarget(width: 64, height: 64))

    #expect((image.pixelWidth, image.pixelHeight) == (1, 1))
    #expect(image.bitmap.color(x: 0, y: 0).distance(to: Color(red: 10, green: 200, blue: 30)) < 4)
  }

  @Test(arguments: [false, true])
  func truncatedJPEGIsDamage(isProgressive: Bool) {
    var fixture = JPEGFixture(width: 64, height: 64, color: patternColor)
    fixture.isProgressive = isProgressive
    let bytes = fixture.bytes

    for fraction in [0.2, 0.5, 0.8, 0.95] {
      let cut = Array(bytes.prefix(Int(Double(bytes.count) * fraction)))
      #expect(error(cut)?.isDamage(of: .jpeg) == true)
      #expect(error(cut, to: DecodeTarget(width: 8, height: 8))?.isDamage(of: .jpeg) == true)
      #expect(error(cut + [0xFF, 0xD9])?.isDamage(of: .jpeg) == true || isProgressive)
    }
  }

  @Test func missingEndMarkerIsTolerated() throws {
    let bytes = JPEGFixture(width: 32, height: 32, color: quarters).bytes

    expectQuarters(of: try decode(Array(bytes.dropLast(2))).bitmap)
  }

  @Test func damagedRestartIntervalIsTolerated() throws {
    var fixture = JPEGFixture(width: 128, height: 128, color: patternColor)
    fixture.restartInterval = 4
    var bytes = fixture.bytes
    let marker = try #require(bytes.indices.dropLast().first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xD3 })
    bytes.removeSubrange((marker - 20)..<(marker - 8))

    #expect(try decode(bytes).pixelWidth == 128)
  }

  @Test func bytesAfterTheImageAreIgnored() throws {
    let bytes = JPEGFixture(width: 32, height: 32, color: quarters).bytes

    expectQuarters(of: try decode(bytes + Array("trailing".utf8)).bitmap)
  }

  @Test func moreThanAHundredScansAreRefused() throws {
    var fixture = JPEGFixture(width: 16, height: 16, color: quarters)
    fixture.isProgressive = true
    let bytes = fixture.bytes
    let firstScan = try #require(
      bytes.indices.dropLast().first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDA })
    let end = bytes.count - 2
    let nextSegment = try #require(
      bytes.indices.dropFirst(firstScan + 2).dropLast().first {
        bytes[$0] == 0xFF && bytes[$0 + 1] != 0 && !(0xD0...0xD7 ~= bytes[$0 + 1])
      })
    let scan = bytes[firstScan..<nextSegment]
    let many = bytes[..<end] + [[UInt8]](repeating: Array(scan), count: 120).joined() + bytes[end...]

    #expect(error(Array(many)) == .decoding(.jpeg, message: "more than 100 scans"))
  }

  @Test(
    "the DCT scale leaves twice the pixels of the target",
    arguments: [
      (1600, 1200, 85, 64, 1), (1600, 1200, 100, 75, 1), (1600, 1200, 101, 76, 2), (1600, 1200, 200, 150, 2),
      (1600, 1200, 400, 300, 4), (1600, 1200, 401, 301, 8), (1600, 1200, 1600, 1200, 8), (1, 1, 1, 1, 8),
    ])
  func scaleLeavesTwiceThePixelsOfTheTarget(
    width: Int, height: Int, toWidth: Int, toHeight: Int, eighths: Int
  ) {
    let chosen = JPEGDecoder.eighths(
      from: PixelSize(width: width, height: height), to: PixelSize(width: toWidth, height: toHeight))

    #expect(chosen == eighths)
  }
}
