import Testing
import VitrineGraphics
import VitrineLoading

@testable import VitrineCodecs

@Suite struct DecodeLimitTests {
  private let tile = DecodeTarget(width: 64, height: 64)
  private let standard = DecodeLimits()

  @Test func limitsOfAnimationsAreOnByDefault() {
    #expect(standard.frames == 131_072 && standard.animationPixels == 2_147_483_647)
    #expect(standard.secondsPerFrame == 5)
  }

  @Test func frameLimitIsAtLeastOne() {
    for limits in [
      DecodeLimits(frames: 0), DecodeLimits(frames: -1), DecodeLimits(animationPixels: 0),
      DecodeLimits(animationPixels: .min),
    ] {
      #expect(limits.frameLimit(canvasWidth: 10, canvasHeight: 10) == 1)
    }
    #expect(standard.frameLimit(canvasWidth: .max, canvasHeight: .max) == 1)
    #expect(standard.frameLimit(canvasWidth: 0, canvasHeight: 0) == standard.frames)
    #expect(standard.frameLimit(canvasWidth: 1920, canvasHeight: 1080) == 1035)
  }

  @Test(arguments: [false, true])
  func pngThatClaims900MegapixelsIsRefused(isInterlaced: Bool) {
    let bytes = PNGFixture.claiming(width: 30_000, height: 30_000, isInterlaced: isInterlaced)

    #expect(error(bytes) == .tooLarge(.pixels(standard.pixels)))
    #expect(error(bytes, to: tile) == .tooLarge(.pixels(standard.pixels)))
  }

  @Test func sizesWhoseProductOverflowsAreRefused() {
    let bytes = PNGFixture.claiming(width: 0x7FFF_FFFF, height: 0x7FFF_FFFF)
    let none = DecodeLimits(pixels: .max, side: .max)

    #expect(error(bytes) == .tooLarge(.side(65_535)))
    #expect(error(bytes, to: tile) == .tooLarge(.side(65_535)))
    #expect(error(bytes, limits: none) == .tooLarge(.pixels(.max)))
    #expect(error(bytes, to: tile, limits: none) == .tooLarge(.pixels(.max)))
  }

  @Test func fewBytesThatClaimManyPixelsAreDamage() {
    let png = PNGFixture.claiming(width: 8000, height: 8000)
    let gif = GIFFixture(width: 8000, height: 8000) { _, _ in 0 }.head + [2, 0x44, 0x01, 0, 0x3B]

    #expect(error(png) == .decoding(.png, message: "the pixels end early"))
    #expect(error(png, to: tile) == .decoding(.png, message: "the pixels end early"))
    #expect(error(gif) == .decoding(.gif, message: "the pixels end early"))
    #expect(error(jpegClaiming(8000)) == .decoding(.jpeg, message: "the pixels end early"))
  }

  @Test func downscaledPNGMayHaveTwiceThePixelLimit() throws {
    let fixture = PNGFixture(width: 100, height: 100) { x, y in [x, y, 0, 255] }
    var interlaced = fixture
    interlaced.isInterlaced = true
    let small = DecodeTarget(width: 10, height: 10)

    #expect(error(fixture.bytes, limits: DecodeLimits(pixels: 9999)) == .tooLarge(.pixels(9999)))
    #expect(try decode(fixture.bytes, to: small, limits: DecodeLimits(pixels: 5000)).pixelWidth == 10)
    #expect(
      error(fixture.bytes, to: small, limits: DecodeLimits(pixels: 4999)) == .tooLarge(.pixels(4999)))
    #expect(
      error(interlaced.bytes, to: small, limits: DecodeLimits(pixels: 9999)) == .tooLarge(.pixels(9999)))
    #expect(try decode(interlaced.bytes, limits: DecodeLimits(pixels: 10_000)).pixelWidth == 100)
  }

  @Test func baselineJPEGBeyondThePixelLimitIsDecodedAtASmallSize() throws {
    var fixture = JPEGFixture(width: 160, height: 160, color: patternColor)
    let few = DecodeLimits(pixels: 400)
    let small = DecodeTarget(width: 10, height: 10)

    #expect(try decode(fixture.bytes, to: small, limits: few).pixelWidth == 10)
    #expect(error(fixture.bytes, limits: few) == .tooLarge(.pixels(400)))

    fixture.isProgressive = true
    #expect(error(fixture.bytes, to: small, limits: few) == .tooLarge(.pixels(400)))
  }

  @Test func thumbnailOfAProgressiveJPEGMayHaveTwiceThePixelLimit() throws {
    var fixture = JPEGFixture(width: 160, height: 160, color: patternColor)
    fixture.isProgressive = true
    let small = DecodeTarget(width: 10, height: 10)
    let half = DecodeLimits(pixels: 12_800)

    #expect(try decode(fixture.bytes, to: small, limits: half).pixelWidth == 10)
    #expect(
      error(fixture.bytes, to: small, limits: DecodeLimits(pixels: 12_799)) == .tooLarge(.pixels(12_799)))
    #expect(
      error(fixture.bytes, to: DecodeTarget(width: 11, height: 11), limits: half)
        == .tooLarge(.pixels(12_800)),
      "libjpeg would keep the coefficients")

    func memory(_ limits: DecodeLimits) throws -> Int {
      try JPEGDecoder.memory(
        fixture.bytes, options: DecodeOptions(target: small, pixelFormat: .bgra, limits: limits)
      ).fullImage
    }
    #expect(try memory(half) < memory(standard), "no coefficients of libjpeg")

    fixture.model = .cmyk
    fixture.samples = { x, y in [UInt8(x), UInt8(y), 0, 0] }
    #expect(error(fixture.bytes, to: small, limits: half) == .tooLarge(.pixels(12_800)))
    #expect(error(fixture.bytes, to: small) == nil, "libjpeg decodes it")
  }

  @Test func downscaledArithmeticJPEGMayHaveTwiceThePixelLimit() throws {
    var fixture = JPEGFixture(width: 160, height: 160, color: patternColor)
    fixture.isArithmetic = true
    let small = DecodeTarget(width: 10, height: 10)

    #expect(try decode(fixture.bytes, to: small, limits: DecodeLimits(pixels: 12_800)).pixelWidth == 10)
    #expect(
      error(fixture.bytes, to: small, limits: DecodeLimits(pixels: 12_799)) == .tooLarge(.pixels(12_799)))
    // Found by fuzzing: seconds for a few hundred bytes.
    #expect(error(jpegClaiming(65_500, isArithmetic: true), to: tile) == .tooLarge(.pixels(standard.pixels)))
  }

  @Test func imageWithATooLongSideIsRefused() {
    let jpeg = JPEGFixture(width: 101, height: 1) { _, _ in .white }.bytes
    let gif = GIFFixture(width: 1, height: 101) { _, _ in 0 }.bytes
    let limits = DecodeLimits(side: 100)

    #expect(error(jpeg, limits: limits) == .tooLarge(.side(100)))
    #expect(error(gif, limits: limits) == .tooLarge(.side(100)))
    #expect(error(WebPFixture.lossy, limits: DecodeLimits(side: 63)) == .tooLarge(.side(63)))
    #expect(error(WebPFixture.lossy, limits: DecodeLimits(side: 64)) == nil)
  }

  @Test func webPWithAlphaOrAnimationHasThePixelLimitOfItsSource() throws {
    let small = DecodeTarget(width: 8, height: 6)
    let few = DecodeLimits(pixels: 100)

    #expect(try decode(WebPFixture.lossy, to: small, limits: few).pixelWidth == 8)
    #expect(error(WebPFixture.lossy, limits: few) == .tooLarge(.pixels(100)))
    #expect(error(WebPFixture.lossyAlpha, to: small, limits: few) == .tooLarge(.pixels(100)))
    #expect(error(WebPFixture.animatedPreview, to: small, limits: few) == .tooLarge(.pixels(100)))
  }

  @Test func gifFrameLargerThanTheLimitIsRefusedOnASmallScreen() {
    var fixture = GIFFixture(width: 1, height: 1) { _, _ in 0 }
    fixture.frame = (0, 0, 65_535, 65_535)
    let bytes = fixture.head + [2, 0x44, 0x01, 0, 0x3B]

    #expect(error(bytes) == .tooLarge(.pixels(standard.pixels)))
  }

  @Test func pngWithTooManyChunksBeforeItsPixelsIsRefused() {
    var fixture = PNGFixture(width: 1, height: 1) { _, _ in [0, 0, 0, 255] }
    let start = 8 + 12 + fixture.header.count
    let whole = fixture.bytes
    let text = PNGFixture.chunk("tEXt", [])
    let many = whole[..<start] + Array(repeatElement(text, count: (1 << 18) + 1).joined())
    fixture.chunks = [("tEXt", [])]

    let refusal = ImageError.decoding(.png, message: "more chunks than an image has")
    #expect(throws: refusal) { try PNGStructure(beginningOf: Array(many)) }
    #expect(throws: refusal) { try PNGStructure(beginningOf: Array(many) + whole[start...]) }
    #expect(error(Array(many) + whole[start...]) == refusal)
    #expect(error(fixture.bytes) == nil)
  }

  /// A comment, a marker without a length, and a byte that is no marker.
  @Test(arguments: [[0xFF, 0xFE, 0, 2], [0xFF, 0xD0], [0xFF, 0]] as [[UInt8]])
  func jpegWithTooManyMarkersIsRefused(marker: [UInt8]) {
    let bytes = JPEGFixture(width: 8, height: 8) { _, _ in .white }.bytes
    func image(markers: Int) -> [UInt8] {
      Array(bytes[..<2]) + Array(repeatElement(marker, count: markers).joined()) + bytes[2...]
    }

    #expect(error(image(markers: 1000)) == nil)
    #expect(error(image(markers: 1 << 16)) == .decoding(.jpeg, message: "no header"))
  }

  @Test func imageWithoutPixelsIsDamage() {
    let png = PNGFixture.claiming(width: 0, height: 5)
    let screen = Array("GIF89a".utf8) + [0, 0, 0, 0, 0, 0, 0] + [0x2C] + [UInt8](repeating: 0, count: 8)
    var frame = GIFFixture(width: 1, height: 1) { _, _ in 0 }
    frame.frame = (0, 0, 0, 1)

    #expect(error(png) == .decoding(.png, message: "a side of zero pixels"))
    #expect(error(screen + [0, 2, 0, 0x3B])?.isDamage(of: .gif) == true)
    #expect(error(frame.head + [0, 0x3B]) == .decoding(.gif, message: "a side of zero pixels"))
    #expect(error(jpegClaiming(0))?.isDamage(of: .jpeg) == true)
  }

  /// A valid JPEG whose header claims another size.
  private func jpegClaiming(_ side: Int, isArithmetic: Bool = false) -> [UInt8] {
    var fixture = JPEGFixture(width: 8, height: 8) { _, _ in .white }
    fixture.isArithmetic = isArithmetic
    var bytes = fixture.bytes
    let marker: UInt8 = isArithmetic ? 0xC9 : 0xC0
    let frame = bytes.indices.dropLast().first { bytes[$0] == 0xFF && bytes[$0 + 1] == marker } ?? 0
    bytes.replaceSubrange(
      (frame + 5)..<(frame + 9), with: [side >> 8, side, side >> 8, side].map { UInt8($0 & 255) })
    return bytes
  }
}
