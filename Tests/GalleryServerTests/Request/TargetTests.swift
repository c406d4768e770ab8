import Testing

@testable import VitrineGalleryServer

@Suite("Targets")
struct TargetTests {
  @Test func queryItemsAreDecodedAndKeepTheirOrder() throws {
    let target = try #require(Target("/p?a=1&length=+5&b=%2Fx%3d&flag&a=2&&=v"))

    #expect(target.path == "/p")
    #expect(target.items.map(\.name) == ["a", "length", "b", "flag", "a", ""])
    #expect(target.items.map(\.value) == ["1", "+5", "/x=", "", "2", "v"])
  }

  @Test(arguments: [
    ("%41%e2%82%AC", "A€"), ("%", "%"), ("%4", "%4"), ("%zz", "%zz"), ("%%41", "%A"), ("", ""),
  ])
  func percentDecodingKeepsInvalidEscapes(text: String, decoded: String) {
    #expect(text.percentDecoded == decoded)
  }

  @Test(arguments: [
    ("http://host:1/a?b", "/a?b"), ("HTTP://host", "/"), ("http://host?q", "/?q"), ("/a", "/a"),
  ])
  func absoluteFormIsReducedToPathAndQuery(sent: String, kept: String) {
    #expect(Target(sent)?.text == kept)
  }

  @Test func replacingAnItemKeepsOtherItemsUnchanged() throws {
    let target = try #require(Target("/p?x=%2f&hops=3&y"))

    #expect(target.replacing("hops", by: "2") == "/p?x=%2f&hops=2&y")
  }
}
