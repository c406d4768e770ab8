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
}
