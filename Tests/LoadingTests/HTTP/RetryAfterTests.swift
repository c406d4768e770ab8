import Testing

@testable import VitrineLoading

/// Parsing of the `Retry-After` header (RFC 9110, 10.2.3).
@Suite struct RetryAfterTests {
  private func seconds(_ text: String?, date: String? = nil, wallClock: Double = 0) -> Double? {
    var headers = HTTPHeaders()
    headers["Retry-After"] = text
    headers["Date"] = date
    return RetryAfter.seconds(headers) { wallClock }
  }

  @Test(arguments: [("0", 0), ("120", 120), ("00007", 7)])
  func secondsAreParsed(text: String, expected: Double) { #expect(seconds(text) == expected) }

  @Test(arguments: [
    "", "-1", "1.5", "soon", "12 s", "Sun, 06 Nov 1994", "Sun, 32 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Abc 1994 08:49:37 GMT",
  ])
  func malformedValueIsIgnored(text: String) { #expect(seconds(text) == nil) }

  @Test(arguments: ["9223372036854775807", "99999999999999999999", String(repeating: "9", count: 400)])
  func hugeNumbersAreBounded(text: String) { #expect(seconds(text) == 0x1p31) }

  @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300])
  func invalidWallClockGivesABoundedPause(wallClock: Double) throws {
    let pause = try #require(seconds("Fri, 31 Dec 9999 23:59:59 GMT", wallClock: wallClock))

    #expect((0...0x1p31).contains(pause))
  }

  @Test func missingHeaderGivesNoPause() { #expect(seconds(nil) == nil) }

  @Test func dateIsRelativeToTheDateHeader() {
    let time = seconds(
      "Sun, 06 Nov 1994 08:49:37 GMT", date: "Sun, 06 Nov 1994 08:49:07 GMT", wallClock: 4e9)
    #expect(time == 30)
  }

  @Test func dateIsRelativeToTheWallClockWithoutADateHeader() {
    #expect(seconds("Sun, 06 Nov 1994 08:49:37 GMT", wallClock: 784_111_777 - 5) == 5)
  }

  @Test func pastDateGivesAPauseOfZero() {
    #expect(seconds("Sun, 06 Nov 1994 08:49:37 GMT", wallClock: 784_111_778) == 0)
  }
}
