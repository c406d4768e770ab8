import FoundationEssentials
import Testing
import VitrineGraphics

@testable import VitrineLoading

/// The age and the lifetime of a list by its headers.
struct FeedResponseTests {
  private static let now = 1_700_000_000.0
  /// The time `now` as a date.
  private static let date = "Tue, 14 Nov 2023 22:13:20 GMT"

  private func response(
    _ headers: HTTPHeaders, _ freshness: ImageResponse.Freshness = .fresh,
    source: ImageResponse.Source = .network, rules: FreshnessRules = .init()
  ) -> FeedResponse {
    let list = url("list.txt")
    let image = Image(Bitmap(width: 1, height: 1, color: .black))
    return FeedResponse(
      ImageResponse(
        image: image, source: source, http: TransportResponse(url: list, status: 200, headers: headers),
        freshness: freshness, data: [1]),
      of: list, at: Self.now, rules: rules)
  }

  @Test(
    arguments: [
      ([:], 0), (["Cache-Control": "max-age=600"], 600),
      (["Cache-Control": "max-age=600", "Age": "100"], 500),
      (["Cache-Control": "max-age=600", "Age": "700"], 0),
      (["Cache-Control": "max-age=600, no-cache"], 0), (["Cache-Control": "max-age=never"], 0),
      (["Expires": "Tue, 14 Nov 2023 22:23:20 GMT", "Date": date], 600),
      (["Expires": "0", "Date": date], 0),
      // The tenth of the time since the last change is not a statement of the server.
      (["Last-Modified": "Mon, 14 Nov 2022 22:13:20 GMT", "Date": date], 0),
    ] as [(HTTPHeaders, Double)])
  func lifetimeIsTheOneThatTheServerStates(headers: HTTPHeaders, lifetime: Double) {
    #expect(response(headers).lifetime == lifetime)
    #expect(response(headers, .revalidated, source: .disk).lifetime == lifetime)
    #expect(response(headers, .stale(age: 5, reason: nil), source: .disk).lifetime == 0)
  }

  @Test func ageCountsFromTheLastConfirmation() {
    #expect(response([:]).age == 0)
    #expect(response([:], .revalidated, source: .disk).age == 0)
    #expect(response([:], .stale(age: 7200, reason: .status(503)), source: .disk).age == 7200)
    #expect(response([:], .stale(age: 0, reason: nil), source: .disk).age == nil)
    #expect(response([:], .fresh, source: .disk).age == nil)
    #expect(response(["Date": "Tue, 14 Nov 2023 21:13:20 GMT"], .fresh, source: .disk).age == 3600)
  }

  @Test(arguments: [
    ("max-age=1", true), ("max-age=1, must-revalidate", false), ("no-cache", false), ("private", true),
  ])
  func strictListIsNotShownBeforeItsServerIsAsked(control: String, isShown: Bool) {
    var rules = FreshnessRules()
    let stale = ImageResponse.Freshness.stale(age: 5, reason: nil)
    #expect(response(["Cache-Control": control], stale, source: .disk).mayBeShownAtOnce == isShown)
    #expect(response(["Cache-Control": "max-age=9, must-revalidate"], source: .disk).mayBeShownAtOnce)

    rules.ignoresRevalidationOnError = true
    #expect(response(["Cache-Control": control], stale, source: .disk, rules: rules).mayBeShownAtOnce)
  }
}
