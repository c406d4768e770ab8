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
    #expect(need(WebPFixture.lossy, small) == 14 * 10 * 4)
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
