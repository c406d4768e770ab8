import Testing
import VitrineLoading

@testable import VitrineCurlTransport

@Suite("A header line contains exactly its field, or is refused")
struct HeaderLineTests {
  @Test(arguments: [
    ("Accept", "image/*", "Accept: image/*"), ("X-Empty", "", "X-Empty;"), ("X-Blank", " \t", "X-Blank;"),
    ("x-Ünsent", "", nil), ("!#$%&'*+-.^_`|~09azAZ", "é", "!#$%&'*+-.^_`|~09azAZ: é"),
    ("", "a", nil), ("A B", "a", nil), ("A:", "a", nil), ("A\r\nB", "a", nil), ("A\0", "a", nil),
    ("A", "1\r\nEvil: 1", nil), ("A", "1\n", nil), ("A", "\r", nil), ("A", "1\u{0}2", nil),
  ])
  func lineContainsItsFieldOrIsRefused(name: String, value: String, expected: String?) {
    let line = try? HeaderLine(HTTPHeaders.Field(name: name, value: value))

    #expect(line?.text == expected)
  }

  @Test func invalidValueThrowsABadArgumentError() {
    #expect(throws: ImageError.transport(.invalidRequest, message: "a header's value cannot be sent: A")) {
      try HeaderLine(HTTPHeaders.Field(name: "A", value: "\n"))
    }
  }
}
