import Testing

@testable import VitrineLoading

/// The choice of the pixels that are stored.
@Suite struct PixelStoringRuleTests {
  private func isStored(
    _ pixelBytes: Int, _ bodyBytes: Int, _ secondsToMake: Double, readSpeed: Double = 400e6
  ) -> Bool {
    let rule = PixelStoringRule(
      pixelBytes: pixelBytes, bodyBytes: bodyBytes, secondsToMake: secondsToMake, readSpeed: readSpeed)
    return rule.isWorthStoring
  }

  @Test func tileOfAPhotoIsStored() {
    #expect(isStored(160 * 120 * 4, 30_000, 0.002))
  }

  @Test func photoThatFillsTheScreenIsNotStoredIfItIsDecodedFasterThanItsPixelsAreRead() {
    let pixelBytes = 1920 * 1080 * 4
    let secondsToRead = Double(pixelBytes) / 400e6
    #expect(!isStored(pixelBytes, 0, secondsToRead * 0.9))
    #expect(isStored(pixelBytes, 0, secondsToRead * 1.1))
    #expect(isStored(pixelBytes, pixelBytes / 5, secondsToRead * 0.9), "the body is read as well")
  }

  @Test func tileIsNotStoredOnACardThatIsSlowerThanTheDecoder() {
    let (pixelBytes, bodyBytes) = (480 * 360 * 4, 60_000)
    #expect(isStored(pixelBytes, bodyBytes, 0.004))
    #expect(!isStored(pixelBytes, bodyBytes, 0.004, readSpeed: 40e6))
    #expect(isStored(pixelBytes, bodyBytes, 0.020, readSpeed: 40e6))
  }

  @Test(arguments: [0, -1, .nan] as [Double]) func oddSpeedStoresNothing(readSpeed: Double) {
    #expect(!isStored(4096, 100, 1, readSpeed: readSpeed))
  }

  @Test func limitHoldsForAnImageThatTakesLong() {
    #expect(isStored(PixelStoringRule.maximumBytes, 0, 60))
    #expect(!isStored(PixelStoringRule.maximumBytes + 1, 0, 60))
  }

  @Test(
    arguments: [
      (0, 100, 1), (-1, 100, 1), (4096, 0, 0), (4096, -1_000_000, -1), (4096, 100, .nan),
      (4096, 100, .infinity),
    ] as [(Int, Int, Double)])
  func oddFiguresStoreNothing(pixelBytes: Int, bodyBytes: Int, seconds: Double) {
    #expect(!isStored(pixelBytes, bodyBytes, seconds))
  }
}
