import Testing
import VitrineLoading

/// The age of stored images in words.
struct StoredAgeTests {
  @Test(
    arguments: [
      (0, "0 s"), (-5, "0 s"), (.nan, "0 s"), (59.9, "59 s"), (60, "1 min"), (3599, "59 min"), (3600, "1 h"),
      (86_399, "23 h"), (86_400, "1 day"), (172_799, "1 day"), (172_800, "2 days"),
      (.infinity, "11574074 days"),
    ] as [(Double, String)])
  func ageIsShownInTheLargestUnit(seconds: Double, text: String) {
    #expect("\(StoredAge(seconds: seconds))" == text)
  }

  @Test func onlyStaleImagesHaveAnAge() {
    #expect(ImageResponse.Freshness.fresh.age == nil)
    #expect(ImageResponse.Freshness.revalidated.age == nil)
    #expect(ImageResponse.Freshness.stale(age: 90, reason: nil).age == StoredAge(seconds: 90))
    #expect(StoredAge(seconds: 1) < StoredAge(seconds: 2))
  }
}
