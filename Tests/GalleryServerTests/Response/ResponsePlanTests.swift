import Testing

@testable import VitrineGalleryServer

@Suite("Planning responses")
struct ResponsePlanTests {
  @Test func plainResponseConsistsOfHeadAndBody() throws {
    let plan = try plan("/a")

    #expect(plan.status == 200)
    let head =
      "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Type: a/b\r\nContent-Length: 3\r\n\r\n"
    #expect(plan.steps == [.frame(Array(head.utf8)), .body(.bytes([1, 2, 3]), 0..<3)])
  }

  @Test func responseToHeadHasTheBodyHeadersButNoBody() throws {
    let plan = try plan("/a", method: "HEAD")

    #expect(plan.steps.count == 1)
    #expect(head(of: plan).contains("Content-Length: 3\r\n"))
  }

  @Test func http10ClientIsToldThatTheConnectionIsKept() throws {
    let kept = try plan("/a", isHTTP10: true, headers: ["connection": "keep-alive"])
    let closed = try plan("/a", isHTTP10: true)

    #expect(head(of: kept).contains("Connection: keep-alive\r\n"))
    #expect(kept.steps.last != .close)
    #expect(closed.steps.last == .close)
  }

  @Test func http10ClientReceivesNoChunks() throws {
    let plan = try plan("/a?chunked=1", isHTTP10: true)

    #expect(!head(of: plan).contains("chunked"))
    #expect(plan.steps.dropFirst() == [.body(.bytes([1, 2, 3]), 0..<3), .close])
  }

  @Test func queryOverridesTheLatencyAndRateOfTheBehavior() throws {
    let behaviour = Behaviour(latency: .fixed(7), bytesPerSecond: 8)

    #expect(try plan("/a", behaviour: behaviour).steps.first == .wait(milliseconds: 7))
    #expect(try plan("/a", behaviour: behaviour).bytesPerSecond == 8)
    #expect(try plan("/a?latency=9", behaviour: behaviour).steps.first == .wait(milliseconds: 9))
    #expect(try plan("/a?latency=0", behaviour: behaviour).steps.first == plan("/a").steps.first)
    #expect(try plan("/a?rate=5", behaviour: behaviour).bytesPerSecond == 5)
  }

  @Test func truncatedChunkDeclaresItsFullSize() throws {
    let plan = try plan("/a?chunked=1&truncate=2")

    #expect(
      plan.steps.dropFirst() == [
        .frame(Array("3\r\n".utf8)), .body(.bytes([1, 2, 3]), 0..<2), .close,
      ])
  }

  @Test(arguments: ["stall=2", "reset=2", "truncate=2", "endless=1"])
  func terminalStepComesLast(query: String) throws {
    let steps = try plan("/a?close=1&\(query)").steps
    let last: [ResponsePlan.Step] = steps.filter {
      switch $0 {
      case .jump, .stall, .reset, .close: true
      case .wait, .frame, .body: false
      }
    }

    #expect(last.count == 1)
    #expect(last.first == steps.last)
  }

  @Test func errorIsNeverReplacedByNotModified() throws {
    let headers = ["if-none-match": "\"t\""]

    #expect(try plan("/a?etag=t&status=500", headers: headers).status == 500)
    #expect(try plan("/a?etag=t", headers: headers).status == 304)
  }

  @Test func cutOverridesEndless() throws {
    let plan = try plan("/a?endless=1&stall=3")

    #expect(
      plan.steps.dropFirst() == [
        .frame(Array("3\r\n".utf8)), .body(.bytes([1, 2, 3]), 0..<3), .frame(Array("\r\n".utf8)),
        .stall,
      ])
  }

  @Test func endlessResponseRepeatsFromItsFirstChunk() throws {
    let plan = try plan("/a?endless=1&latency=1")

    #expect(plan.steps.last == .jump(to: 2))
    #expect(plan.steps[2] == .frame(Array("3\r\n".utf8)))
  }

  @Test func endlessEmptyResponseSendsZeros() throws {
    let plan = try plan("/a?endless=1&empty=1")

    let zeros = [UInt8](repeating: 0, count: ResponsePlan.chunkSize)
    #expect(plan.steps.contains(.body(.bytes(zeros), 0..<zeros.count)))
  }

  @Test func longBodyIsSplitIntoChunks() throws {
    let body = [UInt8](repeating: 1, count: ResponsePlan.chunkSize + 1)
    let plan = try plan("/a?chunked=1", exhibit: Exhibit(body: .bytes(body), contentType: "a/b"))

    #expect(
      plan.steps.dropFirst() == [
        .frame(Array("4000\r\n".utf8)), .body(.bytes(body), 0..<0x4000), .frame(Array("\r\n".utf8)),
        .frame(Array("1\r\n".utf8)), .body(.bytes(body), 0x4000..<0x4001), .frame(Array("\r\n".utf8)),
        .frame(Array("0\r\n\r\n".utf8)),
      ])
  }

  @Test(arguments: [("1", "0"), ("12", "11")])
  func redirectHopCountsDownAndKeepsOtherItems(hops: String, next: String) throws {
    let plan = try plan("/a?x=%2f&hops=\(hops)&y")

    #expect(plan.status == 302)
    #expect(head(of: plan).contains("Location: /a?x=%2f&hops=\(next)&y\r\n"))
  }

  @Test func nonRedirectStatusDoesNotChangeARedirect() throws {
    #expect(try plan("/a?redirect=/b&status=404").status == 302)
    #expect(try plan("/a?redirect=/b&status=308").status == 308)
    #expect(try plan("/a?hops=0&status=404").status == 404)
  }

  @Test func queryHeadersReplaceServerHeaders() throws {
    let head = head(of: try plan("/a?header=date:then&header=content-type:c/d&header=X:1&header=X:2"))

    #expect(
      head == "HTTP/1.1 200 OK\r\ndate: then\r\ncontent-type: c/d\r\nX: 1\r\nX: 2\r\n"
        + "Content-Length: 3\r\n\r\n")
  }

  @Test func contentLengthIsNeverNegative() throws {
    #expect(head(of: try plan("/a?length=-9")).contains("Content-Length: 0\r\n"))
    #expect(head(of: try plan("/a?length=+2")).contains("Content-Length: 5\r\n"))
  }

  @Test(arguments: [
    ("\"t\"", 304), ("W/\"t\"", 304), ("\"x\", \"t\"", 304), ("*", 304), ("\"x\"", 200), ("t", 200),
  ])
  func ifNoneMatchIsComparedWithTheETag(condition: String, status: Int) throws {
    let plan = try plan("/a?etag=t", headers: ["if-none-match": condition])

    #expect(plan.status == status)
  }

  @Test func ifModifiedSinceIsIgnoredWithIfNoneMatch() throws {
    let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    let exhibit = Exhibit(
      body: .bytes([1]), contentType: "a/b", headers: [Header("Last-Modified", date)])
    let since = ["if-modified-since": date]

    #expect(try plan("/a", exhibit: exhibit, headers: since).status == 304)
    #expect(
      try plan("/a", exhibit: exhibit, headers: since.merging(["if-none-match": "\"x\""]) { $1 })
        .status == 200)
    #expect(try plan("/a", headers: since).status == 200)
  }

  @Test func notModifiedResponseHasValidatorsButNoLength() throws {
    let plan = try plan("/a?etag=t&maxage=5", headers: ["if-none-match": "\"t\""])

    #expect(
      head(of: plan)
        == "HTTP/1.1 304 Not Modified\r\nDate: now\r\nCache-Control: max-age=5\r\nETag: \"t\"\r\n\r\n")
    #expect(plan.steps.count == 1)
  }

  @Test func requestWithABodyIsRefusedAndTheConnectionClosed() throws {
    let plan = try plan("/a", headers: ["content-length": "1"])

    #expect(plan.status == 400)
    #expect(plan.steps.last == .close)
    #expect(try self.plan("/a", headers: ["content-length": "0"]).status == 200)
  }

  @Test func dateIsFormattedForHTTP() {
    #expect(httpDate(secondsSince1970: 784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(httpDate(secondsSince1970: 0) == "Thu, 01 Jan 1970 00:00:00 GMT")
  }

  private func plan(
    _ target: String, exhibit: Exhibit? = Exhibit(body: .bytes([1, 2, 3]), contentType: "a/b"),
    method: String = "GET", isHTTP10: Bool = false, headers: [String: String] = [:],
    behaviour: Behaviour = .init()
  ) throws -> ResponsePlan {
    let request = Request(
      method: method, target: try #require(Target(target)), isHTTP10: isHTTP10, headers: headers)
    return ResponsePlan(to: request, for: exhibit, behaviour: behaviour, date: "now")
  }

  private func head(of plan: ResponsePlan) -> String {
    guard case .frame(let bytes)? = plan.steps.first else { return "" }
    return String(decoding: bytes, as: UTF8.self)
  }
}
