import CCurl
import FoundationEssentials
import Testing

@testable import VitrineCurlTransport

@Suite("URLs of the usual form are read without libcurl, with the same result")
struct PlainURLTests {
  @Test(arguments: [
    "http://example.org/", "https://example.org/a/b.jpg", "http://localhost:8080/object.jpg?number=17",
    "https://a-b.example.org:443/a?b=c.d/e", "http://example.org:80//a",
    "https://xn--bcher-kva.example/a?b=..", "http://\(host(253))/", "http://a/",
  ])
  func usualURLIsReadLikeByLibcurl(text: String) throws {
    let url = try #require(URL(string: text))

    let plain = try #require(PlainURL(text))

    let parsed = try #require(WebAddress(parsing: url))
    #expect(plain.origin == parsed.origin && plain.text == parsed.text)
    #expect(WebAddress(url) == parsed && WebAddress(url)?.target == plain.target)
    #expect(plain.target == Self.target(text))
  }

  @Test(arguments: [
    "http://127.0.0.1/", "http://127.1/", "http://0x7f.1/", "http://Example.org/", "HTTP://example.org/",
    "ftp://a/",
    "http://user@example.org/", "http://user:pw@example.org/", "http://example.org", "http://example.org?a",
    "http://example.org/a?", "http://example.org/../a", "http://example.org/./a", "http://example.org/a#b",
    "http://example.org/%41", "http://example.org:/", "http://example.org:0/", "http://example.org:080/",
    "http://example.org:65536/", "http://example.org:8080x/", "http://example.org./", "http:///a",
    "http://[::1]/",
    "http://b\u{FC}cher.example/", "http://example.org/a b", "http://example.org/a\\b",
    "http://example.org/a?b?c",
    "http:/example.org/", "", "http://", "http://a-/", "http://a_b/", "http://a", "http://a:", "http://a:80",
    "http://a:80?b", "http", "https:/", "http://\(host(254))/",
  ])
  func otherURLIsLeftToLibcurl(text: String) {
    #expect(PlainURL(text) == nil)
  }

  /// Returns a host name of `count` bytes.
  private static func host(_ count: Int) -> String {
    String(repeating: "abcdefghi.", count: 25) + String(repeating: "z", count: count - 250)
  }

  /// Returns the path and the query that libcurl's parser finds.
  private static func target(_ text: String) -> PlainURL.Target? {
    guard let parts = URLParts(), parts.set(CURLUPART_URL, text), let path = parts.get(CURLUPART_PATH) else {
      return nil
    }
    return PlainURL.Target(path: path, query: parts.get(CURLUPART_QUERY))
  }

  @Test func generatedURLsAreReadLikeByLibcurl() throws {
    let pieces = [
      "a", "b.jpg", "/", "//", ".", "..", "?", "&", "=", ":", "80", "443", "0", "8080", "-", "_", "Z", "%41",
      "@", "~",
      "1", "localhost", "example.org", "#", ";",
    ]
    var random = SystemRandomNumberGenerator()
    var plainCount = 0

    for _ in 0..<20_000 {
      var text = Bool.random(using: &random) ? "http://a" : "https://example.org:8443/"
      for _ in 0..<Int.random(in: 0..<8, using: &random) {
        text += pieces.randomElement(using: &random) ?? ""
      }
      guard let plain = PlainURL(text) else { continue }
      plainCount += 1
      let parsed = URL(string: text).flatMap { WebAddress(parsing: $0) }
      #expect(plain.origin == parsed?.origin && plain.text == parsed?.text, "\(text)")
      #expect(plain.target == Self.target(text), "\(text)")
    }

    #expect(plainCount > 1000)
  }
}
