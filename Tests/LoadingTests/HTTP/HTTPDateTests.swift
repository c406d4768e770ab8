import Testing

@testable import VitrineLoading

/// Parsing of HTTP dates (RFC 9110, 5.6.7).
@Suite struct HTTPDateTests {
  @Test(arguments: [
    ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0), ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
    ("Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000), ("Fri, 31 Dec 1999 23:59:59 GMT", 946_684_799),
    ("Mon, 01 Mar 2100 00:00:00 GMT", 4_107_542_400), ("Fri, 31 Dec 9999 23:59:60 GMT", 253_402_300_800),
    ("Sat, 01 Jan 1600 00:00:00 GMT", -11_676_096_000),
    ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400), ("Wed, 01 Mar 2000 00:00:00 GMT", 951_868_800),
    ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800), ("Mon, 01 Mar 1600 00:00:00 GMT", -11_670_912_000),
  ])
  func datesAreParsedAsSecondsSince1970(text: String, expected: Double) {
    #expect(HTTPDate.seconds(text) == expected)
  }

  @Test(arguments: [
    ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777.0), ("Sun Nov  6 08:49:37 1994", 784_111_777),
    ("Thursday, 01-Jan-70 00:00:00 GMT", 0), ("Thursday, 29-Feb-24 12:00:00 GMT", 1_709_208_000),
    ("Thu Feb 29 12:00:00 2024", 1_709_208_000),
  ])
  func obsoleteDateFormatsAreParsed(text: String, expected: Double) {
    #expect(HTTPDate.seconds(text) == expected)
  }

  @Test(arguments: [
    "", "0", "-1", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET",
    "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 08:49:37:00 GMT", "Sun, 06 Nov 1994 +8:49:37 GMT",
    "Sun, +6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 99999999999999999999 08:49:37 GMT",
    "Sun, 06 Nov 0000001994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
    "Sunday, 06-Nov-1994 08:49:37 GMT", "Sunday, 06-Nov 08:49:37 GMT",
    "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 32 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 08:49:+7 GMT", "Sunday, 06-Nov-+4 08:49:37 GMT", "Sunday, 06-Nov-1 08:49:37 GMT",
    "Sunday, 06--94 08:49:37 GMT", "Sun Nov 6 08:49:37 94", "Sun Nov 6 1994 08:49:37", " , , , , , ",
  ])
  func malformedDatesAreRejected(text: String) { #expect(HTTPDate.seconds(text) == nil) }
}
