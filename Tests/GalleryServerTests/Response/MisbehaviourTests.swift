import Testing

@testable import VitrineGalleryServer

@Suite("Reading misbehavior from a query")
struct MisbehaviourTests {
  @Test func queryItemsAreParsed() throws {
    let misbehaviour = try read(
      "latency=5&rate=6&status=503&redirect=%2Fx%3Fy&type=a/b&maxage=7&etag=t&header=X:%20y&header=Z:"
        + "&length=-8&chunked=1&endless=1&truncate=9&close=1&html=1")

    var expected = Misbehaviour()
    expected.latency = 5
    expected.bytesPerSecond = 6
    expected.status = 503
    expected.redirect = .to("/x?y")
    expected.contentType = "a/b"
    expected.cacheControl = "max-age=7"
    expected.entityTag = "\"t\""
    expected.headers = [Header("X", "y"), Header("Z", "")]
    expected.length = .off(by: -8)
    expected.isChunked = true
    expected.isEndless = true
    expected.cut = .init(after: 9, ending: .close)
    expected.closesConnection = true
    expected.content = .html
    #expect(misbehaviour == expected)
  }

  @Test(arguments: [
    "", "a=b", "row=17", "latency", "latency=x", "latency=-1", "rate=", "status=99", "status=1000",
    "status=100", "status=199", "status=600",
    "truncate=-1", "stall=a", "length=x", "length=", "hops=-1", "chunked=0", "html=yes", "maxage=x",
    "latency=99999999999999999999", "LATENCY=5",
  ])
  func invalidItemsAreIgnored(query: String) throws {
    #expect(try read(query) == Misbehaviour())
  }

  @Test(arguments: [
    "header=X:a%0d%0aY:b", "header=X%0a:a", "header=:a", "header=X", "redirect=/a%0d%0aX:y",
    "type=a%0ab", "etag=a%00",
  ])
  func textThatWouldBreakAHeaderLineIsIgnored(query: String) throws {
    #expect(try read(query) == Misbehaviour())
  }

  @Test func lastValidRepeatedItemWins() throws {
    #expect(try read("latency=1&latency=2&latency=x").latency == 2)
    #expect(try read("truncate=1&stall=2").cut == .init(after: 2, ending: .stall))
  }

  @Test(arguments: [("a", "\"a\""), ("%22a%22", "\"a\""), ("W/%22a%22", "W/\"a\"")])
  func eTagIsQuotedOnce(sent: String, tag: String) throws {
    #expect(try read("etag=\(sent)").entityTag == tag)
  }

  private func read(_ query: String) throws -> Misbehaviour {
    Misbehaviour(try #require(Target("/p?" + query)))
  }
}
