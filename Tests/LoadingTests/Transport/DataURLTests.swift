import Testing

@testable import VitrineLoading

/// The bytes of `data:` URLs (RFC 2397, RFC 4648).
@Suite struct DataURLTests {
  @Test(arguments: [
    ("data:;base64,QUJD", "ABC"), ("data:;base64,QUI=", "AB"), ("data:;base64,QUI", "AB"),
    ("data:;base64,QQ==", "A"), ("data:;base64,QQ", "A"), ("data:;BASE64,QUJD", "ABC"),
    ("data:;base64,", ""), ("data:;base64,QU%4AD", "ABC"), ("data:;base64,QU JD", "ABC"),
    ("data:,a%20b", "a b"), ("data:,a%2", "a%2"), ("data:,%41", "A"), ("data:,x%41", "xA"),
    ("data:,ab#part", "ab"), ("DATA:,ab", "ab"),
  ])
  func base64AndPercentEncodingAreDecoded(text: String, expected: String) throws {
    #expect(String(decoding: try DataURL(text).body, as: UTF8.self) == expected)
  }

  @Test(arguments: [
    "data:;base64,QQ=", "data:;base64,QUI==", "data:;base64,====", "data:;base64,=", "data:;base64,QUJD=",
    "data:;base64,QQ==QQ==", "data:;base64,QUJD=QQ=", "data:;base64,Q", "data:;base64,QUJ!", "data:;base64",
    "data:#,a",
  ])
  func malformedDataURLIsRefused(text: String) {
    #expect(throws: ImageError.invalidURL(text)) { try DataURL(text) }
  }

  @Test(arguments: [
    ("data:,hello%20w%C3%B6rld", "hello wörld"), ("data:;base64,aGVsbG8=", "hello"),
    ("data:image/png;base64,aGVsbG8", "hello"),
    ("data:text/plain;charset=utf-8;BASE64,aGVs%0AbG8%3D", "hello"),
    ("data:,a%2", "a%2"), ("data:,", ""), ("data:;base64,", ""), ("data:,a#part", "a"),
    ("data:;base64,-_-_", "\u{FB}\u{FF}\u{BF}"),
  ]) func dataURLIsDecoded(text: String, expected: String) throws {
    let bytes = text.contains("-_") ? [0xFB, 0xFF, 0xBF] : Array(expected.utf8)

    #expect(try DataURL(text).body == bytes)
  }

  @Test(arguments: [
    "data:;base64,a", "data:;base64,aGVsbG8==", "data:;base64,a===", "data:;base64,a!bc", "data:x",
    "data:;base64,QQ=", "data:;base64,QQ===", "data:;base64,QUJD=", "data:;base64,====",
    "data:;base64,QQ==QUJD",
    "data:;base64,QQ=Q",
  ])
  func damagedDataURLIsInvalid(text: String) {
    #expect(throws: ImageError.invalidURL(text)) { try DataURL(text) }
  }

  @Test func dataURLHasItsMediaType() throws {
    #expect(try DataURL("data:image/png;base64,").mediaType == "image/png")
    #expect(try DataURL("data:,").mediaType == "text/plain;charset=US-ASCII")
  }

  @Test func errorOfALongDataURLIsTruncated() {
    let text = "data:;base64,!" + String(repeating: "a", count: 100_000)

    #expect(throws: ImageError.invalidURL(String(text.prefix(64)))) { try DataURL(text) }
  }
}
