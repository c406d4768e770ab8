import Testing

@testable import VitrineLoading

/// Parsing numbers that servers send.
@Suite struct StatedNumberTests {
  @Test(arguments: [("0", 0), ("42", 42), ("0007", 7), ("2305843009213693951", Int.max / 4)])
  func digitsAreParsed(text: String, expected: Int) {
    #expect(StatedNumber(text)?.value == expected)
    #expect(StatedNumber(clamping: text)?.value == expected)
  }

  @Test(arguments: ["", "+1", "-1", " 1", "1 ", "1.0", "1e3", "0x10", "\u{661}", "1\u{301}"])
  func otherTextIsRejected(text: String) {
    #expect(StatedNumber(text) == nil)
    #expect(StatedNumber(clamping: text) == nil)
  }

  @Test(arguments: [
    "2305843009213693952", "9223372036854775807", "9223372036854775808", String(repeating: "9", count: 500),
  ])
  func tooLargeNumberIsRejectedOrClamped(text: String) {
    #expect(StatedNumber(text) == nil)
    #expect(StatedNumber(clamping: text)?.value == StatedNumber.largest)
  }

  @Test func sumOfThreeLargestNumbersFits() {
    #expect(!StatedNumber.largest.multipliedReportingOverflow(by: 3).overflow)
  }

  @Test(
    arguments: [(nil, nil), (-1, nil), (.min, nil), (0, 0), (7, 7), (.max, Int.max / 4)] as [(Int?, Int?)])
  func expectedLengthOfAResponseIsBounded(length: Int?, expected: Int?) {
    #expect(TransportResponse(url: url(), status: 200, expectedLength: length).expectedLength == expected)
  }
}
