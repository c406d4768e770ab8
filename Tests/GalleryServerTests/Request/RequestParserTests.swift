import Testing

@testable import VitrineGalleryServer

@Suite("Reading requests")
struct RequestParserTests {
  @Test func requestIsParsedCompletely() throws {
    var parser = RequestParser()
    parser.feed("GET /a?b=c HTTP/1.1\r\nHost: x\r\nAccept:  text/html \r\n\r\n".utf8)

    let request = try #require(try parser.next())

    #expect(request.method == "GET")
    #expect(request.target.text == "/a?b=c")
    #expect(request.headers == ["host": "x", "accept": "text/html"])
    #expect(!request.isHTTP10)
    #expect(try parser.next() == nil)
  }

  @Test func requestSentByteByByteIsParsedTheSame() throws {
    let text = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n"
    var reference = RequestParser()
    reference.feed(text.utf8)
    var parser = RequestParser()

    for byte in text.utf8.dropLast() {
      parser.feed([byte])
      #expect(try parser.next() == nil)
    }
    parser.feed([10])

    #expect(try parser.next() == reference.next())
  }

  @Test func requestsInOnePieceAreParsedOneByOne() throws {
    var parser = RequestParser()
    parser.feed("GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\nGET /3".utf8)

    #expect(try parser.next()?.target.text == "/1")
    #expect(try parser.next()?.target.text == "/2")
    #expect(try parser.next() == nil)
  }

  @Test func emptyLinesBeforeARequestAreSkipped() throws {
    var parser = RequestParser()
    parser.feed("\r\n\r\nGET / HTTP/1.1\nHost: x\n\n".utf8)

    #expect(try parser.next()?.headers == ["host": "x"])
  }

  @Test func repeatedHeadersAreJoined() throws {
    var parser = RequestParser()
    parser.feed("GET / HTTP/1.1\r\nHost: x\r\nAccept: a\r\nACCEPT: b\r\n\r\n".utf8)

    #expect(try parser.next()?.headers["accept"] == "a, b")
  }

  @Test(arguments: [
    ("1.1", "X: y", true), ("1.1", "Connection: close", false),
    ("1.1", "Connection: x, Close", false), ("1.0", "X: y", false),
    ("1.0", "Connection: Keep-Alive", true),
  ])
  func keepAliveFollowsVersionAndHeader(version: String, header: String, keeps: Bool) throws {
    var parser = RequestParser()
    parser.feed("GET / HTTP/\(version)\r\nHost: x\r\n\(header)\r\n\r\n".utf8)

    #expect(try parser.next()?.wantsKeepAlive == keeps)
  }

  @Test(arguments: [
    "GET /", "GET  / HTTP/1.1", "GET / HTTP/1.1 ", "G@T / HTTP/1.1", " / HTTP/1.1", "GET * HTTP/1.1",
    "GET a HTTP/1.1", "GET / FTP/1.1", "GET /\u{7f} HTTP/1.1", "hello",
  ])
  func malformedRequestLineIsRefused(line: String) {
    expectRefusal(.malformed, of: "\(line)\r\nHost: x\r\n\r\n")
  }

  @Test(arguments: [
    "X: y", "Host: x\r\nHost: x", "Host: x\r\n folded", "Host : x", "Host: x\r\nnonsense",
    "Host: x\r\n: y", "Host: x\r\nX: a\u{0}b", "Host: x\r\nX: a\rb",
    "Host: x\r\nContent-Length: 0\r\nContent-Length: 0",
  ])
  func malformedHeadersAreRefused(headers: String) {
    expectRefusal(.malformed, of: "GET / HTTP/1.1\r\n\(headers)\r\n\r\n")
  }

  @Test(arguments: ["2.0", "1.2", "", "1.1x"])
  func unsupportedVersionIsRefused(version: String) {
    expectRefusal(.versionNotSupported, of: "GET / HTTP/\(version)\r\nHost: x\r\n\r\n")
  }

  @Test func headAtTheLimitIsAcceptedAndALongerHeadIsRefused() throws {
    let frame = "GET / HTTP/1.1\r\nHost: x\r\nX: \r\n\r\n".utf8.count
    let filling = String(repeating: "a", count: RequestParser.headLimit - frame)
    var parser = RequestParser()

    parser.feed("GET / HTTP/1.1\r\nHost: x\r\nX: \(filling)\r\n\r\n".utf8)

    #expect(try parser.next() != nil)
    expectRefusal(.headTooLarge, of: "GET / HTTP/1.1\r\nHost: x\r\nX: a\(filling)\r\n\r\n")
  }

  @Test func headWithoutEndIsRefusedAtTheLimit() {
    expectRefusal(.headTooLarge, of: String(repeating: "a", count: RequestParser.headLimit))
  }

  private func expectRefusal(
    _ refusal: Refusal, of text: String, _ location: SourceLocation = #_sourceLocation
  ) {
    var parser = RequestParser()
    parser.feed(text.utf8)
    #expect(throws: refusal, sourceLocation: location) { try parser.next() }
  }
}
