import Foundation
import Testing

@testable import VitrineLoading

/// The freshness of stored responses (RFC 9111, 4.2; RFC 5861), also by a wall clock that is wrong.
@Suite struct StandingTests {
  /// Sun, 06 Nov 1994 08:49:37 GMT.
  static let noon = 784_111_777.0
  static let date = "Sun, 06 Nov 1994 08:49:37 GMT"

  private func response(
    _ headers: HTTPHeaders, requested: Double = noon, received: Double = noon
  ) -> StoredResponse {
    let response = TransportResponse(url: url("a.jpg"), status: 200, headers: headers)
    return StoredResponse(response: response, body: [1], requested: requested, received: received)
  }

  /// Returns the freshness lifetime in seconds, found by a binary search.
  private func lifetime(_ headers: HTTPHeaders, _ rules: FreshnessRules = FreshnessRules()) -> Double {
    let response = response(headers)
    var (low, high) = (0.0, 0x1p33)
    guard response.standing(at: Self.noon, rules: rules) == .fresh else { return 0 }
    while high - low > 1 {
      let middle = ((low + high) / 2).rounded()
      if response.standing(at: Self.noon + middle, rules: rules) == .fresh {
        low = middle
      } else {
        high = middle
      }
    }
    return high
  }

  @Test(
    "The lifetime is the server's, else a heuristic, else the default",
    arguments: [
      (["Cache-Control": "max-age=60"], 60),
      (["Cache-Control": "max-age=60", "Expires": "Sun, 06 Nov 1994 09:49:37 GMT"], 60),
      (["Cache-Control": "max-age=60, s-maxage=5"], 60),
      (["Cache-Control": "s-maxage=5"], 3600),
      (["Cache-Control": "max-age=nonsense", "Expires": "Sun, 06 Nov 1994 09:49:37 GMT"], 0),
      (["Cache-Control": "max-age=99999999999999999999"], 0x1p31),
      (["Cache-Control": "max-age=60, no-cache"], 0),
      (["Cache-Control": "no-cache=\"Set-Cookie\", max-age=60"], 0),
      (["Cache-Control": "max-age=60, must-revalidate, immutable"], 60),
      (["Expires": "Sun, 06 Nov 1994 08:50:37 GMT", "Date": date], 60),
      (["Expires": "Sun, 06 Nov 1994 08:50:37 GMT"], 60),
      (["Expires": "Sun, 06 Nov 1994 08:50:37 GMT", "Date": "Sun, 06 Nov 1994 08:49:27 GMT"], 60),
      (["Expires": "0"], 0),
      (["Expires": "-1"], 0),
      (["Expires": "Thu, 01 Jan 1970 00:00:00 GMT", "Last-Modified": "Thu, 01 Jan 1970 00:00:00 GMT"], 0),
      (["Last-Modified": "Sun, 06 Nov 1994 08:32:57 GMT", "Date": date], 100),
      (["Last-Modified": "Sun, 06 Nov 1994 08:32:57 GMT"], 100),
      (["Last-Modified": "Thu, 01 Jan 1970 00:00:00 GMT"], 7 * 86400),
      (["Last-Modified": "Sun, 06 Nov 1994 08:49:38 GMT"], 3600),
      (["Last-Modified": "yesterday"], 3600),
      (["ETag": "\"a\""], 3600),
      ([:], 3600),
    ] as [(HTTPHeaders, Double)])
  func lifetimeIsStatedOrEstimated(headers: HTTPHeaders, expected: Double) {
    #expect(lifetime(headers) == expected)
  }

  @Test func freshnessRulesReplaceTheDefaultLifetimes() {
    var rules = FreshnessRules()
    rules.defaultLifetime = 10
    rules.maximumHeuristicLifetime = 20
    #expect(lifetime([:], rules) == 10)
    #expect(lifetime(["Last-Modified": "Thu, 01 Jan 1970 00:00:00 GMT"], rules) == 20)
    rules.minimumLifetime = 30
    #expect(lifetime([:], rules) == 30)
    #expect(lifetime(["Cache-Control": "max-age=5"], rules) == 30)
    #expect(lifetime(["Cache-Control": "max-age=50"], rules) == 50)
    #expect(lifetime(["Cache-Control": "max-age=50, no-cache"], rules) == 0)
  }

  @Test(arguments: [Double.nan, -1, -Double.infinity])
  func invalidFreshnessRulesCountAsZero(odd: Double) {
    var rules = FreshnessRules()
    rules.defaultLifetime = odd
    rules.maximumHeuristicLifetime = odd
    rules.minimumLifetime = odd
    rules.staleOnError = odd
    rules.staleWhileRevalidating = odd
    let shown = response([:]).standing(at: Self.noon + 1, rules: rules)
    #expect(shown == .stale(age: 1, mayShowWhileRevalidating: false, mayShowOnError: false))
    #expect(lifetime(["Last-Modified": "Thu, 01 Jan 1970 00:00:00 GMT"], rules) == 0)
  }

  @Test(
    "A stale response is shown as far as the server and the program allow",
    arguments: [
      ("max-age=60", 1e6, false, true),
      ("max-age=60, must-revalidate", 1e6, false, false),
      ("no-cache", 1, false, false),
      ("max-age=60, stale-while-revalidate=30", 90, true, true),
      ("max-age=60, stale-while-revalidate=30", 91, false, true),
      ("max-age=60, stale-while-revalidate=30, must-revalidate", 90, false, false),
      ("max-age=60, stale-while-revalidate=soon", 61, false, true),
      ("max-age=60, stale-if-error=1", 1e6, false, true),
      ("max-age=60, proxy-revalidate", 61, false, true),
    ] as [(String, Double, Bool, Bool)])
  func staleResponseIsShownIfAllowed(control: String, age: Double, whileRevalidating: Bool, onError: Bool) {
    let standing = response(["Cache-Control": control]).standing(at: Self.noon + age)
    #expect(
      standing
        == .stale(age: age, mayShowWhileRevalidating: whileRevalidating, mayShowOnError: onError))
  }

  @Test func staleOnErrorLimitsTheUseOfStaleResponses() {
    var rules = FreshnessRules()
    rules.staleOnError = 10
    let mayShow = { (control: String, age: Double) -> Bool in
      guard
        case .stale(_, _, let mayShow) = response(["Cache-Control": control])
          .standing(at: Self.noon + age, rules: rules)
      else { return true }
      return mayShow
    }
    #expect(mayShow("max-age=60", 70))
    #expect(!mayShow("max-age=60", 71))
    // The server's `stale-if-error` may allow more.
    #expect(mayShow("max-age=60, stale-if-error=20", 80))
    #expect(!mayShow("max-age=60, stale-if-error=20", 81))
    #expect(!mayShow("no-cache", 1))
    rules.ignoresRevalidationOnError = true
    #expect(mayShow("no-cache", 1))
    #expect(mayShow("max-age=60, must-revalidate", 70))
    #expect(!mayShow("max-age=60, must-revalidate", 71))
  }

  @Test func staleWhileRevalidatingAllowsStaleResponses() {
    var rules = FreshnessRules()
    rules.staleWhileRevalidating = 10
    let stale = response(["Cache-Control": "max-age=60"])
    #expect(
      stale.standing(at: Self.noon + 70, rules: rules)
        == .stale(age: 70, mayShowWhileRevalidating: true, mayShowOnError: true))
    #expect(
      stale.standing(at: Self.noon + 71, rules: rules)
        == .stale(age: 71, mayShowWhileRevalidating: false, mayShowOnError: true))
  }

  @Test(
    "The age is that of RFC 9111, 4.2.3",
    arguments: [
      ([:], 0, 0, 0, 0),
      ([:], 0, 0, 10, 10),
      // The server generated the response 30 s before it was received.
      (["Date": date], 30, 30, 40, 40),
      // The server's clock is ahead, which makes no response younger.
      (["Date": date], -30, -30, 0, 30),
      // Caches on the way held the response; the transfer took 4 s.
      (["Age": "100"], 0, 4, 10, 110),
      (["Age": "100", "Date": date], 200, 204, 204, 204),
      (["Age": "-5"], 0, 0, 10, 10),
      (["Age": "5, 6"], 0, 0, 10, 10),
      (["Age": "99999999999999999999999"], 0, 0, 0, 0x1p31),
      (["Date": "never"], 0, 0, 10, 10),
      // The clock was set back during the transfer.
      ([:], 50, 0, 10, 10),
      // The clock was set back by a few seconds after the transfer: the age is 0.
      ([:], 0, 0, -5, 0),
    ] as [(HTTPHeaders, Double, Double, Double, Double)])
  func ageIsCalculated(
    headers: HTTPHeaders, requested: Double, received: Double, now: Double, expected: Double
  ) {
    let response = response(headers, requested: Self.noon + requested, received: Self.noon + received)
    #expect(response.age(at: Self.noon + now) == expected)
  }

  private static let unknown = StoredResponse.Standing.stale(
    age: 0, mayShowWhileRevalidating: false, mayShowOnError: true)

  @Test func responseReceivedInTheFutureIsStale() {
    let stored = response(["Cache-Control": "max-age=60", "Date": Self.date])
    // A start without a battery-backed clock, and a clock that was set back a year.
    #expect(stored.standing(at: 5) == Self.unknown)
    #expect(stored.standing(at: Self.noon - 365 * 86400) == Self.unknown)
  }

  @Test func responseReceivedBeforeTheClockWasSetAgesByItsDate() {
    let stored = response(["Cache-Control": "max-age=60", "Date": Self.date], requested: 5, received: 6)
    #expect(stored.age(at: Self.noon + 10) == 10)
    #expect(stored.standing(at: Self.noon + 10) == .fresh)
    // While the clock is wrong the age is unknown, also after another start without a battery-backed clock.
    #expect(stored.standing(at: 7) == Self.unknown)
  }

  @Test func ageHeaderCountsAlthoughTheClockWasNotSet() {
    let stored = response(
      ["Cache-Control": "max-age=60", "Date": Self.date, "Age": "55"], requested: 5, received: 6)

    #expect(stored.age(at: Self.noon + 10) == 65)
    #expect(stored.standing(at: Self.noon + 4) == .fresh)
    #expect(stored.standing(at: Self.noon + 6) != .fresh)
  }

  @Test func minimumLifetimeAppliesToRedirectedResponses() {
    var rules = FreshnessRules()
    rules.minimumLifetime = 7200
    let stored = response(["Cache-Control": "max-age=60"])

    #expect(stored.standing(at: Self.noon + 7199, rules: rules, isRedirected: true) == .fresh)
    #expect(stored.standing(at: Self.noon + 7201, rules: rules, isRedirected: true) != .fresh)
    rules.minimumLifetime = 0
    let long = response(["Cache-Control": "max-age=86400"])
    #expect(long.standing(at: Self.noon + 3599, rules: rules, isRedirected: true) == .fresh)
    #expect(long.standing(at: Self.noon + 3601, rules: rules, isRedirected: true) != .fresh)
  }

  @Test(arguments: [
    Double.nan, Double.infinity, -Double.infinity, 1e300, -1e300, .greatestFiniteMagnitude,
    -.greatestFiniteMagnitude, 0, -1,
  ])
  func invalidWallClockGivesAFiniteAge(odd: Double) {
    for headers in [["Cache-Control": "max-age=60", "Date": Self.date, "Age": "3"], [:]] as [HTTPHeaders] {
      for response in [
        response(headers), response(headers, requested: odd), response(headers, received: odd),
        response(headers, requested: odd, received: odd),
        response(headers, requested: odd, received: -odd), response(headers, requested: -odd, received: odd),
      ] {
        for now in [odd, -odd, Self.noon] {
          if case .stale(let age, _, _) = response.standing(at: now) { #expect(age >= 0 && age.isFinite) }
        }
      }
    }
    #expect(response([:]).standing(at: .nan) == Self.unknown)
    #expect(response([:], received: .infinity).standing(at: Self.noon) == Self.unknown)
  }
}
