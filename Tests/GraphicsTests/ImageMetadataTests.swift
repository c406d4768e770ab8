import Testing

@testable import VitrineGraphics

@Suite struct ImageMetadataTests {
  @Test func metadataWithoutAPropertyIsNil() {
    #expect(
      ImageMetadata() == nil && ImageMetadata(title: "") == nil && ImageMetadata(title: " \n\u{0}") == nil)
  }

  @Test func titleIsCutBetweenCharacters() {
    let limit = ImageMetadata.titleByteLimit

    let text = ImageMetadata(title: String(repeating: "👩‍🚀", count: 100))?.title

    #expect(text == String(repeating: "👩‍🚀", count: limit / "👩‍🚀".utf8.count))
    // One character that is longer than the limit.
    #expect(ImageMetadata(title: "e" + String(repeating: "\u{301}", count: 1000)) == nil)
  }

  @Test func daysAndSecondsThatDoNotExistAreRefused() {
    #expect(
      CaptureTime(year: 2024, month: 2, day: 29) != nil && CaptureTime(year: 2000, month: 2, day: 29) != nil)
    #expect(
      CaptureTime(year: 2023, month: 2, day: 29) == nil && CaptureTime(year: 1900, month: 2, day: 29) == nil)
    #expect(
      CaptureTime(year: 2023, month: 4, day: 31) == nil && CaptureTime(year: 2023, month: 12, day: 31) != nil)
    #expect(
      CaptureTime(year: 0, month: 1, day: 1) == nil && CaptureTime(year: 10_000, month: 1, day: 1) == nil)
    for number in [Int.min, -1, 24, .max] {
      #expect(CaptureTime(year: 2023, month: 1, day: 1, hour: number) == nil)
    }
    #expect(CaptureTime(year: .max, month: .max, day: .max) == nil)
    #expect(CaptureTime(year: 2023, month: 1, day: 1, second: 60) == nil)
  }

  @Test func digitsAreThoseOfTheTime() throws {
    let time = try #require(CaptureTime(year: 2024, month: 5, day: 17, hour: 14, minute: 3, second: 59))

    #expect(time.digits == 2024_05_17_14_03_59)
    #expect(CaptureTime(digits: time.digits) == time)
    #expect(
      [time.year, time.month, time.day, time.hour, time.minute, time.second] == [2024, 5, 17, 14, 3, 59])
    for digits: UInt64 in [0, .max, 2024_05_17_14_03_60, 2024_13_17_14_03_00] {
      #expect(CaptureTime(digits: digits) == nil)
    }
    #expect(try time < #require(CaptureTime(year: 2024, month: 5, day: 18)))
  }
}
