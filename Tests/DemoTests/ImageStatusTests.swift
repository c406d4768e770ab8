import Testing
import Vitrine

@testable import VitrineDemo

/// The last line of a row of the list.
struct ImageStatusTests {
  private let age = StoredAge(seconds: 200)

  @Test func loadedImageHasItsFormatAndSize() {
    #expect(ImageStatus.loading.text == "")
    #expect(ImageStatus.loaded(.jpeg, width: 1600, height: 1067).text == "JPEG  ·  1600 × 1067")
    #expect(ImageStatus.loaded(.webp, width: 1, height: 30_000).text == "WebP  ·  1 × 30000")
    #expect(ImageStatus.loaded(.raw, width: 16, height: 9).text == "16 × 9")
    #expect(
      ImageStatus.loaded(.jpeg, width: 4, height: 3, taken: CaptureTime(year: 2024, month: 5, day: 17)).text
        == "17 May 2024  ·  JPEG  ·  4 × 3")
  }

  @Test func storedImageHasItsAgeAndTheReason() {
    #expect(
      ImageStatus.stored(age, .unreachable).text == "Stored  ·  3 min old  ·  the server cannot be reached")
    #expect(ImageStatus.stored(nil, .missing).text == "Stored  ·  the server has no such image")
    #expect(ImageStatus.stored(age, .offline).showsAge)
    #expect(!ImageStatus.stored(nil, .offline).showsAge)
    #expect(!ImageStatus.failed(.offline).showsAge)
  }

  @Test func failureHasItsReason() {
    #expect(ImageStatus.failed(.missing).text == "The server has no such image")
    #expect(ImageStatus.failed(.other).text == "The image cannot be loaded")
    for reason in StaleReason.allCases { #expect(!ImageStatus.failed(reason).text.isEmpty) }
  }

  @Test func problemsStandOut() {
    #expect(ImageStatus.failed(.missing).isProblem)
    #expect(ImageStatus.stored(age, .failing).isProblem)
    #expect(!ImageStatus.loading.isProblem)
    #expect(!ImageStatus.loaded(.gif, width: 1, height: 1).isProblem)
  }
}
