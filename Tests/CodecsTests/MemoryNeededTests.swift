import Testing
import VitrineCodecs
import VitrineGraphics
import VitrineLoading

/// What decoding takes, told from the header.
@Suite struct MemoryNeededTests {
  private func need(
    _ bytes: [UInt8], _ target: DecodeTarget? = nil, limits: DecodeLimits = .init()
  ) -> Int {
    ImageCodecs().memoryNeeded(for: bytes, options: DecodeOptions(target: target, limits: limits))
  }

  @Test func resultCountsAndWhatOfTheSourceIsHeld() {
    let small = DecodeTarget(width: 10, height: 10)
    var jpeg = JPEGFixture(width: 160, height: 160) { _, _ in .white }
    #expect(need(jpeg.bytes) == 160 * 160 * 4)
    #expect(need(jpeg.bytes, small) == 10 * 10 * 4)
    jpeg.isProgressive = true
    // 4:2:0 has one and a half samples a pixel, 4:4:4 three; two bytes each.
    let coefficients = need(jpeg.bytes, small) - 400
    #expect(coefficients == 160 * 160 * 3 || coefficients == 160 * 160 * 6)

    var png = PNGFixture(width: 30, height: 20) { _, _ in [0, 0, 0, 255] }
    #expect(need(png.bytes) == 30 * 20 * 4)
    png.isInterlaced = true
    #expect(need(png.bytes) == 2 * 30 * 20 * 4)

    #expect(need(GIFFixture(width: 7, height: 9) { _, _ in 0 }.bytes) == 7 * 9 * 5)
    // To fill, it is scaled to twice that first, a side.
    #expect(need(WebPFixture.lossy, small) == 14 * 10 * 4 * 5)
    #expect(need(WebPFixture.lossy, DecodeTarget(width: 14, height: 10, mode: .fit)) == 13 * 10 * 4)
  }

  @Test func jpegOfAScanAComponentHoldsItsCoefficients() {
    var jpeg = JPEGFixture(width: 160, height: 160) { _, _ in .white }
    jpeg.isInterleaved = false
    let coefficients = need(jpeg.bytes) - 160 * 160 * 4
    #expect(coefficients == 160 * 160 * 3 || coefficients == 160 * 160 * 6)
  }

  @Test(arguments: [ImageRequest.Progressive.scans, .blurred])
  func partsNeedAllThatIsKeptAndWhatTheyShow(style: ImageRequest.Progressive) throws {
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
        #expect(decoder.memoryKept == 0, "before the first byte")
        var mostKept = 0
        for count in Array(stride(from: 1, to: bytes.count, by: max(7, bytes.count / 40))) + [bytes.count] {
          let data = Array(bytes[..<count])
          let need = decoder.memoryNeeded(for: data)
          let image = try decoder.image(of: data, expectedLength: nil)
          #expect(need >= decoder.memoryKept + (image?.cost ?? 0))
          if style == .blurred, count > 300, mostKept == 0, [rows, lines, gif].contains(bytes) {
            #expect(need == 0, "none is made")
          }
          if style == .blurred, let image { #expect(need >= decoder.memoryKept + 3 * image.cost) }
          mostKept = max(mostKept, decoder.memoryKept)
        }
        #expect(decoder.memoryKept == 0, "after the last")
        #expect(decoder.memoryNeeded(for: bytes) == 0)
        let result = try decode(bytes, to: target).cost
        switch bytes {
        case rows, lines: #expect(mostKept == (style == .scans ? result : 0))
        case jpeg.bytes: #expect(mostKept == 160 * 128 * 3 || mostKept == 160 * 128 * 6)
        case png.bytes: #expect(mostKept == 160 * 120 * 4)
        case gif: #expect(mostKept == 0)
        default: #expect(style == .scans || mostKept == 0)
        }
      }
    }
  }

  @Test(arguments: [
    WebPFixture.lossy, WebPFixture.lossyAlpha, WebPFixture.animatedPartial,
    JPEGFixture(width: 33, height: 17) { _, _ in .white }.bytes,
    PNGFixture(width: 5, height: 3) { _, _ in [0, 0, 0, 255] }.bytes,
    GIFFixture(width: 7, height: 9) { _, _ in 0 }.bytes,
  ])
  func itIsNeverLessThanTheResult(bytes: [UInt8]) throws {
    let image = try decode(bytes)

    #expect(need(bytes) >= image.cost)
    #expect(need(bytes) <= image.cost * 3)
  }

  @Test func cutAnywhereItIsHarmless() {
    var jpeg = JPEGFixture(width: 16, height: 16) { _, _ in .white }
    jpeg.isProgressive = true
    let pictures = [
      jpeg.bytes, WebPFixture.lossy, WebPFixture.lossyAlpha,
      GIFFixture(width: 7, height: 9) { _, _ in 0 }.bytes,
      PNGFixture(width: 5, height: 3) { _, _ in [0, 0, 0, 255] }.bytes,
    ]
    for picture in pictures {
      for length in 0..<min(300, picture.count) {
        #expect(need(Array(picture[..<length])) >= 0)
        // Whatever stands there, too.
        var broken = picture
        broken[length] = 0xFF
        #expect(need(broken) >= 0)
      }
    }
    #expect(need(Array("<html>".utf8)) == 0)
  }

  @Test func claimsBeyondTheLimitsNeedNoMoreThanThose() {
    let huge = PNGFixture.claiming(width: Int(Int32.max), height: Int(Int32.max), isInterlaced: true)

    #expect(need(huge) == (64 << 20) * 8)
    #expect(need(huge, limits: DecodeLimits(pixels: .max)) == 1 << 40)
    #expect(need(huge, limits: DecodeLimits(pixels: 0)) == 0)
    #expect(need(huge, limits: DecodeLimits(pixels: -1)) >= 0)
  }
}
