import Testing
import VitrineCodecs
import VitrineGraphics
import VitrineLoading

/// The prediction of the memory that decoding takes, from the header.
@Suite struct MemoryNeededTests {
  private func need(
    _ bytes: [UInt8], _ target: DecodeTarget? = nil, limits: DecodeLimits = .init()
  ) -> Int {
    ImageCodecs().memoryNeeded(for: bytes, options: DecodeOptions(target: target, limits: limits))
  }

  /// An allowance for structures and fixed tables.
  private static let fixed = 128 << 10

  @Test func memoryIncludesTheResultAndTheSourcePixelsKept() {
    let small = DecodeTarget(width: 10, height: 10)
    var jpeg = JPEGFixture(width: 1600, height: 1600) { _, _ in .white }
    jpeg.repeatsFirstRow = true
    // More than 1/8 of the size.
    let medium = DecodeTarget(width: 210, height: 210)
    let rows = need(jpeg.bytes, medium)
    #expect(need(jpeg.bytes) - rows >= (1600 * 1600 - 2 * 210 * 210) * 4)
    #expect(rows - 2 * 210 * 210 * 4 < 2 * Self.fixed)
    #expect(need(jpeg.bytes, small) >= 200 * 200 * 3 + Self.fixed, "the DC coefficients of three components")
    #expect(
      need(jpeg.bytes, DecodeTarget(width: 200, height: 200)) >= 400 * 400 * 3 + Self.fixed,
      "four means for each block")
    jpeg.isProgressive = true
    #expect(
      need(jpeg.bytes, medium) - rows == 1600 * 1600 * 6 + 3 * 200 * 8,
      "three samples a pixel, two bytes each")
    jpeg.subsamples = true
    let subsampled = need(jpeg.bytes, medium)
    jpeg.isProgressive = false
    #expect(subsampled - need(jpeg.bytes, medium) == 1600 * 1600 * 3 + 2 * 200 * 8)

    var png = PNGFixture(width: 300, height: 200) { _, _ in [0, 0, 0, 255] }
    let lines = need(png.bytes, small)
    png.isInterlaced = true
    #expect(need(png.bytes, small) - lines == (200 - 16) * 300 * 4, "all rows instead of a strip")
    #expect(need(png.bytes) - need(png.bytes, DecodeTarget(width: 300, height: 200)) == 0)

    let gif = GIFFixture(width: 70, height: 90) { _, _ in 0 }
    #expect(need(gif.bytes) >= 70 * 90 * 5 + Self.fixed)
  }

  @Test func coefficientsAreCountedInWholeMCUs() {
    var jpeg = JPEGFixture(width: 17, height: 17) { _, _ in .white }
    let rows = need(jpeg.bytes)
    jpeg.isProgressive = true
    let blocks = need(jpeg.bytes) - rows
    #expect(blocks == 3 * (3 * 3 * 128 + 3 * 8))
    jpeg.subsamples = true
    let subsampled = need(jpeg.bytes)
    jpeg.isProgressive = false
    // Luma blocks are rounded up to pairs in both directions.
    #expect(subsampled - need(jpeg.bytes) == 4 * 4 * 128 + 4 * 8 + 2 * (2 * 2 * 128 + 2 * 8))
  }

  @Test func gifFrameCountsOnASmallScreen() {
    let bytes = LargeFixtures.gif(screen: (1, 1), frame: (2000, 1000))

    #expect(need(bytes) >= 2000 * 1000)
    #expect(need(bytes) <= 2000 * 1000 + bytes.count + 1000 * 64 + 3 * Self.fixed)
  }

  @Test func memoryIncludesTheColorProfile() {
    var jpeg = JPEGFixture(width: 8, height: 8) { _, _ in .white }
    let plain = need(jpeg.bytes)
    jpeg.profile = [UInt8](repeating: 1, count: 1_000_000)
    #expect(need(jpeg.bytes) - plain >= 4_000_000)
    var png = PNGFixture(width: 8, height: 8) { _, _ in [0, 0, 0, 255] }
    let plainPNG = need(png.bytes)
    let profile = 5000.bigEndianBytes + [UInt8](repeating: 1, count: 4996)
    png.chunks = [("iCCP", Array("name\0\0".utf8) + PNGFixture.zlib(profile))]
    #expect(need(png.bytes) - plainPNG >= 20_000)
  }

  @Test func orientationIsAppliedToTheTargetSize() {
    var jpeg = JPEGFixture(width: 1600, height: 400) { _, _ in .white }
    jpeg.repeatsFirstRow = true
    let target = DecodeTarget(width: 800, height: 200, mode: .fit)
    let upright = need(jpeg.bytes, target)
    jpeg.exif = exif(orientation: 6)
    #expect(upright - need(jpeg.bytes, target) > 800 * 200 * 4 - 50 * 200 * 4 - 2 * Self.fixed)
  }

  @Test func jpegWithOneScanPerComponentKeepsItsCoefficients() {
    var jpeg = JPEGFixture(width: 160, height: 160) { _, _ in .white }
    let rows = need(jpeg.bytes)
    jpeg.isInterleaved = false
    #expect(need(jpeg.bytes) - rows == 160 * 160 * 6 + 3 * 20 * 8)
  }

  @Test func bytesBetweenSegmentsAreSkipped() throws {
    var jpeg = JPEGFixture(width: 160, height: 160) { _, _ in .white }
    jpeg.isProgressive = true
    let bytes = jpeg.bytes
    // The offset after the first segment, whose length follows its marker.
    let end = 4 + Int(bytes[4]) << 8 + Int(bytes[5])
    let odd = bytes[..<end] + [0, 1, 2, 0xFF, 0] + bytes[end...]

    _ = try decode(Array(odd))
    #expect(need(Array(odd)) == need(bytes))
  }

  @Test(arguments: [0xFE, 0xE0, 0xE5, 0xDC] as [UInt8], [0, 1] as [UInt8])
  func segmentWithoutItsOwnLengthIsEmpty(marker: UInt8, length: UInt8) throws {
    var jpeg = JPEGFixture(width: 160, height: 160) { _, _ in .white }
    jpeg.isProgressive = true
    let bytes = jpeg.bytes
    let odd = Array(bytes[..<2]) + [0xFF, marker, 0, length] + bytes[2...]

    _ = try decode(odd)
    #expect(need(odd) == need(bytes))
    let decoder = try #require(ImageCodecs().progressiveDecoder(.scans, options: DecodeOptions()))
    let (beginning, oddBeginning) = (Array(bytes.dropLast(100)), Array(odd.dropLast(100)))
    let needed = decoder.memoryNeeded(for: beginning)
    #expect(needed >= 160 * 160 * 6)
    #expect(decoder.memoryNeeded(for: oddBeginning) == needed)
  }

  @Test(arguments: [ImageRequest.Progressive.scans, .blurred])
  func previewsNeedTheMemoryKeptAndTheirImage(style: ImageRequest.Progressive) throws {
    let target = DecodeTarget(width: 40, height: 30)
    var jpeg = JPEGFixture(width: 160, height: 128) { _, _ in .white }
    let rows = jpeg.bytes
    jpeg.isProgressive = true
    var png = PNGFixture(width: 160, height: 120) { _, _ in [0, 0, 0, 255] }
    let lines = png.bytes
    png.isInterlaced = true
    let gif = GIFFixture(width: 160, height: 120) { _, _ in 0 }.bytes
    for bytes in [rows, jpeg.bytes, lines, png.bytes, gif] + WebPFixture.all {
      for target in [nil, target] {
        let options = DecodeOptions(target: target)
        let decoder = try #require(ImageCodecs().progressiveDecoder(style, options: options))
        #expect(decoder.retainedBytes == 0, "nothing is kept before the first byte")
        var mostKept = 0
        for count in Array(stride(from: 1, to: bytes.count, by: max(7, bytes.count / 40))) + [bytes.count] {
          let data = Array(bytes[..<count])
          let need = decoder.memoryNeeded(for: data)
          let image = try decoder.image(of: data, expectedLength: nil)
          #expect(need >= decoder.retainedBytes + (image?.cost ?? 0))
          if style == .blurred, count > 300, mostKept == 0, [rows, lines, gif].contains(bytes) {
            #expect(need == 0, "no preview is made")
          }
          if style == .blurred, let image { #expect(need >= decoder.retainedBytes + 3 * image.cost) }
          mostKept = max(mostKept, decoder.retainedBytes)
        }
        #expect(decoder.retainedBytes == 0, "nothing is kept after the last byte")
        #expect(decoder.memoryNeeded(for: bytes) == 0)
        let result = try decode(bytes, to: target).cost
        switch bytes {
        case rows, lines: #expect(mostKept == (style == .scans ? result : 0))
        case jpeg.bytes: #expect(mostKept == 160 * 128 * 6)
        case png.bytes: #expect(mostKept == 160 * 120 * 4)
        case gif: #expect(mostKept == 0)
        default: #expect(style == .scans || mostKept == 0)
        }
      }
    }
  }

  @Test(arguments: [
    WebPFixture.lossy, WebPFixture.lossyAlpha, WebPFixture.animatedPreview,
    JPEGFixture(width: 33, height: 17) { _, _ in .white }.bytes,
    PNGFixture(width: 5, height: 3) { _, _ in [0, 0, 0, 255] }.bytes,
    GIFFixture(width: 7, height: 9) { _, _ in 0 }.bytes,
  ])
  func predictionIsAtLeastTheResult(bytes: [UInt8]) throws {
    let image = try decode(bytes)

    #expect(need(bytes) >= image.cost)
    #expect(need(bytes) <= image.cost * 8 + 3 * Self.fixed)
  }

  @Test func predictionIsSafeForTruncatedAndDamagedBytes() {
    var jpeg = JPEGFixture(width: 16, height: 16) { _, _ in .white }
    jpeg.isProgressive = true
    let images = [
      jpeg.bytes, WebPFixture.lossy, WebPFixture.lossyAlpha,
      GIFFixture(width: 7, height: 9) { _, _ in 0 }.bytes,
      PNGFixture(width: 5, height: 3) { _, _ in [0, 0, 0, 255] }.bytes,
    ]
    for image in images {
      for length in 0..<min(300, image.count) {
        #expect(need(Array(image[..<length])) >= 0)
        // Also with a wrong byte at each offset.
        var broken = image
        broken[length] = 0xFF
        #expect(need(broken) >= 0)
      }
    }
    #expect(need(Array("<html>".utf8)) == 0)
  }

  @Test func imageRefusedFromItsHeaderNeedsNoMemory() {
    let huge = PNGFixture.claiming(width: Int(Int32.max), height: Int(Int32.max), isInterlaced: true)

    #expect(need(huge) == 0)
    for limits in [DecodeLimits(pixels: .max, side: .max), DecodeLimits(pixels: 0), DecodeLimits(pixels: -1)]
    {
      #expect(need(huge, limits: limits) == 0)
    }
    let large = PNGFixture.claiming(width: 60_000, height: 60_000, isInterlaced: true)
    #expect(need(large, limits: DecodeLimits(pixels: .max)) >= 60_000 * 60_000 * 4)
  }
}
