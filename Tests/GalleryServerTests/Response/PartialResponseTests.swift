import Testing

@testable import VitrineGalleryServer

@Suite("Planning responses to a range")
struct PartialResponseTests {
  private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
  private static let exhibit = Exhibit(
    body: .bytes([0, 1, 2, 3, 4]), contentType: "a/b", headers: [Header("Last-Modified", date)])

  @Test func partHasItsRangeAndLength() throws {
    let plan = try plan("/a?etag=t", "bytes=1-3")

    #expect(
      head(of: plan)
        == "HTTP/1.1 206 Partial Content\r\nDate: now\r\nContent-Type: a/b\r\nLast-Modified: \(Self.date)\r\n"
        + "ETag: \"t\"\r\nContent-Range: bytes 1-3/5\r\nContent-Length: 3\r\n\r\n")
    #expect(plan.status == 206)
    #expect(plan.steps.dropFirst() == [.body(Self.exhibit.body, 1..<4)])
  }

  @Test func unsatisfiableRangeIsRefusedWithTheSize() throws {
    let plan = try plan("/a?etag=t", "bytes=5-")

    #expect(plan.status == 416)
    #expect(head(of: plan).contains("Content-Range: bytes */5\r\n"))
    #expect(!head(of: plan).contains("ETag"))
    #expect(plan.steps.last == .body(.bytes(Array("416 Range Not Satisfiable\n".utf8)), 0..<26))
  }

  @Test(arguments: ["bytes=0-1,3-4", "bytes=4-1", "rows=1-2"])
  func ignoredRangeReceivesTheWholeBody(range: String) throws {
    #expect(try plan("/a", range) == plan("/a", nil))
  }

  @Test(arguments: [("\"t\"", 206), (date, 206), ("\"u\"", 200), ("W/\"t\"", 200), ("t", 200), ("", 200)])
  func ifRangeMustNameTheCurrentResponse(validator: String, status: Int) throws {
    #expect(try plan("/a?etag=t", "bytes=1-", ["if-range": validator]).status == status)
  }

  @Test func weakTagDoesNotAllowARange() throws {
    #expect(try plan("/a?etag=W/%22t%22", "bytes=1-", ["if-range": "W/\"t\""]).status == 200)
    // Without If-Range, the client does not combine parts.
    #expect(try plan("/a?etag=W/%22t%22", "bytes=1-").status == 206)
  }

  @Test func ifRangeThatFailsLeavesNothingUnsatisfiable() throws {
    #expect(try plan("/a?etag=t", "bytes=9-", ["if-range": "\"u\""]).status == 200)
    #expect(try plan("/a?etag=t", "bytes=9-", ["if-range": "\"t\""]).status == 416)
  }

  @Test func ifRangeWithoutARangeIsIgnored() throws {
    #expect(try plan("/a?etag=t", nil, ["if-range": "\"t\""]).status == 200)
  }

  @Test func conditionIsEvaluatedBeforeTheRange() throws {
    #expect(try plan("/a?etag=t", "bytes=1-", ["if-none-match": "\"t\""]).status == 304)
    #expect(try plan("/a?etag=t", "bytes=9-", ["if-none-match": "\"u\""]).status == 416)
  }

  @Test(arguments: ["html=1", "empty=1", "status=200", "status=500", "redirect=/b", "endless=1", "garbage=1"])
  func responseWithoutTheImageHasNoRange(query: String) throws {
    #expect(try plan("/a?\(query)", "bytes=1-2") == plan("/a?\(query)", nil))
  }

  @Test func missingImageHasNoRange() throws {
    #expect(try plan("/a", "bytes=1-2", exhibit: nil).status == 404)
  }

  @Test func delayAndRateApplyToAPart() throws {
    let plan = try plan("/a?latency=9&rate=5", "bytes=1-2")

    #expect(plan.steps.first == .wait(milliseconds: 9))
    #expect(plan.steps.last == .body(Self.exhibit.body, 1..<3))
    #expect(plan.bytesPerSecond == 5)
  }

  @Test(
    arguments: [
      ("truncate", .close), ("stall", .stall), ("reset", .reset),
    ] as [(String, ResponsePlan.Step)])
  func cutCountsTheBytesOfThePart(name: String, ending: ResponsePlan.Step) throws {
    let body = Self.exhibit.body

    #expect(try plan("/a?\(name)=2", "bytes=1-3").steps.dropFirst() == [.body(body, 1..<3), ending])
    #expect(try plan("/a?\(name)=0", "bytes=1-3").steps.dropFirst() == [ending])
    #expect(try plan("/a?\(name)=9", "bytes=1-3").steps.dropFirst() == [.body(body, 1..<4), ending])
  }

  @Test func wrongLengthIsThatOfThePart() throws {
    #expect(head(of: try plan("/a?length=+2", "bytes=1-3")).contains("Content-Length: 5\r\n"))
    #expect(!head(of: try plan("/a?length=none", "bytes=1-3")).contains("Content-Length"))
  }

  @Test func partIsChunked() throws {
    let body = Body.bytes(Array(repeating: 1, count: ResponsePlan.chunkSize + 10))
    let plan = try plan(
      "/a?chunked=1", "bytes=5-", exhibit: Exhibit(body: body, contentType: "a/b"))

    let end = ResponsePlan.chunkSize + 5
    #expect(
      plan.steps.dropFirst() == [
        .frame(Array("4000\r\n".utf8)), .body(body, 5..<end), .frame(Array("\r\n".utf8)),
        .frame(Array("5\r\n".utf8)), .body(body, end..<end + 5), .frame(Array("\r\n".utf8)),
        .frame(Array("0\r\n\r\n".utf8)),
      ])
  }

  @Test func queryMayDeclareAWrongRange() throws {
    let head = head(of: try plan("/a?header=Content-Range:bytes%207-9/99", "bytes=1-3"))

    #expect(head.contains("Content-Range: bytes 7-9/99\r\n") && !head.contains("1-3/5"))
  }

  private func plan(
    _ target: String, _ range: String?, _ headers: [String: String] = [:], exhibit: Exhibit? = Self.exhibit
  ) throws -> ResponsePlan {
    var headers = headers
    headers["range"] = range
    let request = Request(method: "GET", target: try #require(Target(target)), headers: headers)
    return ResponsePlan(to: request, for: exhibit, behaviour: .init(), date: "now")
  }

  private func head(of plan: ResponsePlan) -> String {
    guard case .frame(let bytes)? = plan.steps.first else { return "" }
    return String(decoding: bytes, as: UTF8.self)
  }
}
