import Glibc
import Testing

@testable import VitrineGalleryServer

@Suite("Misbehaving on request", .timeLimit(.minutes(5)))
struct FaultTests {
  private let server: GalleryServer
  private let client: Client
  private let body = (0..<40_000).map { UInt8(truncatingIfNeeded: $0) }

  init() throws {
    server = try GalleryServer()
    server.add(Resource(body: body, contentType: "image/png"), at: "/p")
    client = try Client(port: server.port)
  }

  @Test(arguments: [204, 304, 403, 429, 500, 503, 599])
  func requestedStatusIsSent(status: Int) throws {
    #expect(try client.get("/p?status=\(status)").status == status)
    #expect(try client.get("/unknown?status=\(status)").status == status)
    #expect(try client.get("/p").body == body)
  }

  @Test func errorStatusHasAShortTextBody() throws {
    let response = try client.get("/p?status=503")

    #expect(response.body == Array("503 Service Unavailable\n".utf8))
    #expect(response.headers["content-type"] == "text/plain")
  }

  @Test func truncatedResponseDeclaresItsFullLength() throws {
    client.request("/p?truncate=100")

    #expect(try client.readHead().headers["content-length"] == "40000")
    #expect(try client.readToEnd() == Array(body[..<100]))
    #expect(server.log.first?.bodyBytesSent == 100)
  }

  @Test(arguments: [0, 39_999, 40_000, 50_000])
  func truncationIsClampedToTheBody(count: Int) throws {
    client.request("/p?truncate=\(count)")

    _ = try client.readHead()
    #expect(try client.readToEnd() == Array(body.prefix(count)))
  }

  @Test(arguments: [("+7", "40007"), ("%2B7", "40007"), ("-7", "39993")])
  func wrongContentLengthIsSent(item: String, length: String) throws {
    client.request("/p?length=\(item)")

    #expect(try client.readHead().headers["content-length"] == length)
    #expect(try client.readToEnd() == body)
  }

  @Test(arguments: [
    "length=9223372036854775807", "length=-9223372036854775808", "length=9223372036854735808",
    "length=99999999999999999999", "truncate=9223372036854775807", "stall=9223372036854775807&close=1",
    "rate=9223372036854775807", "rate=0&truncate=1", "rate=-1", "maxage=9223372036854775807",
    "status=9223372036854775807",
    "chunked=1&truncate=9223372036854775807", "hops=9223372036854775807", "hops=-9223372036854775808",
  ])
  func extremeNumbersAreHandledSafely(query: String) throws {
    client.request("/p?\(query)")

    #expect((200..<400).contains(try client.readHead().status))
    #expect(try Client(port: server.port).get("/p").body == body)
  }

  @Test(arguments: [Int.max, .min, -1])
  func hugeLatencyIsBounded(center: Int) {
    let longest = Behaviour.Latency.varied(around: center).milliseconds(for: "/p")

    #expect((0...2 * 86_400_000).contains(longest))
  }

  @Test func bodyWithoutALengthEndsWithTheConnection() throws {
    client.request("/p?length=none")

    let head = try client.readHead()
    #expect(head.headers["content-length"] == nil)
    #expect(head.headers["transfer-encoding"] == nil)
    #expect(try client.readToEnd() == body)
  }

  @Test func chunkedBodyIsCompleteAndKeepsTheConnection() throws {
    let response = try client.get("/p?chunked=1")

    #expect(response.headers["transfer-encoding"] == "chunked")
    #expect(response.headers["content-length"] == nil)
    #expect(response.body == body)
    #expect(server.log.first?.bodyBytesSent == 40_000)
    #expect(try client.get("/p").body == body)
  }

  @Test func endlessBodyStopsWhenThePeerCloses() throws {
    client.request("/p?endless=1")
    #expect(try client.readHead().headers["transfer-encoding"] == "chunked")
    #expect(try client.read(10_000_000).count == 10_000_000)

    client.leave()

    #expect(server.wait(timeout: 60) { $0.first?.outcome == .abandoned })
  }

  @Test func endlessBodyDoesNotDelayOtherClients() throws {
    client.request("/p?endless=1")
    _ = try client.readHead()

    #expect(try Client(port: server.port).get("/p").body == body)
  }

  @Test func typeQueryItemReplacesTheContentType() throws {
    #expect(try client.get("/p?type=text%2Fhtml").headers["content-type"] == "text/html")
  }

  @Test func htmlPageReplacesTheImage() throws {
    let response = try client.get("/p?html=1")

    #expect(response.status == 200)
    #expect(response.headers["content-type"] == "text/html; charset=utf-8")
    #expect(String(decoding: response.body, as: UTF8.self).hasPrefix("<!DOCTYPE html>"))
  }

  @Test func emptyResponseKeepsItsContentType() throws {
    let response = try client.get("/p?empty=1")

    #expect(response == Response(status: 200, headers: response.headers, body: []))
    #expect(response.headers["content-length"] == "0")
    #expect(response.headers["content-type"] == "image/png")
  }

  @Test(arguments: [301, 302, 303, 307, 308])
  func redirectHasTheRequestedStatusAndLocation(status: Int) throws {
    let response = try client.get("/p?redirect=http%3A%2F%2Fhost%2Fx%3Fy%3Dz&status=\(status)")

    #expect(response.status == status)
    #expect(response.headers["location"] == "http://host/x?y=z")
  }

  @Test func redirectHopsEndAtTheImage() throws {
    var target = "/p?hops=3&row=1"
    var hops = 0

    while let next = try client.get(target).headers["location"] {
      target = next
      hops += 1
    }

    #expect(hops == 3)
    #expect(try client.get(target).body == body)
  }

  @Test func redirectLoopLeadsToItself() throws {
    #expect(try client.get("/p?loop=1&row=1").headers["location"] == "/p?loop=1&row=1")
  }

  @Test func stalledResponseWaitsForThePeerToClose() throws {
    client.request("/p?stall=1000")
    _ = try client.readHead()

    #expect(try client.read(1000) == Array(body[..<1000]))
    #expect(recv(client.descriptor, nil, 0, Int32(MSG_DONTWAIT | MSG_PEEK)) == -1)
    #expect(server.log.map(\.outcome) == [.running])
    client.leave()
    #expect(server.wait(timeout: 60) { $0.first?.outcome == .abandoned })
    #expect(server.log.first?.bodyBytesSent == 1000)
  }

  @Test(arguments: [0, 1000])
  func resetReachesThePeer(count: Int) throws {
    client.request("/p?reset=\(count)")
    _ = try client.readHead()

    #expect(try client.read(count) == Array(body[..<count]))
    #expect(throws: ClientError.failed(ECONNRESET)) { try client.readToEnd() }
  }

  @Test func garbageResponseIsNotHTTP() throws {
    client.request("/p?garbage=1")

    let bytes = try client.readToEnd()
    #expect(!bytes.isEmpty)
    #expect(!String(decoding: bytes, as: UTF8.self).contains("HTTP"))
    #expect(server.log.first?.status == 0)
  }

  @Test func headersAreAddedAndReplaced() throws {
    let response = try client.get("/p?header=X-One:%201&header=Content-Type:a/b&maxage=5&etag=t")

    #expect(response.headers["x-one"] == "1")
    #expect(response.headers["content-type"] == "a/b")
    #expect(response.headers["cache-control"] == "max-age=5")
    #expect(response.headers["etag"] == "\"t\"")
    #expect(try client.get("/p?nostore=1").headers["cache-control"] == "no-store")
  }

  @Test func requestedETagIsRevalidated() throws {
    #expect(try client.get("/p?etag=t", headers: ["If-None-Match: \"t\""]).status == 304)
    #expect(try client.get("/p?etag=u", headers: ["If-None-Match: \"t\""]).status == 200)
  }

  @Test func responseBeforeClosingIsComplete() throws {
    let response = try client.get("/p?close=1")

    #expect(response.headers["connection"] == "close")
    #expect(response.body == body)
    #expect(try client.readToEnd() == [])
  }

  @Test func pacedBodyIsComplete() throws {
    #expect(try client.get("/p?rate=1000000").body == body)
  }

  @Test func latencyDelaysOnlyItsOwnResponse() throws {
    client.request("/p?latency=60000")
    #expect(server.waitForRequests(1, timeout: 60))

    #expect(try Client(port: server.port).get("/p?latency=1").body == body)
    #expect(server.log.first?.outcome == .running)
  }

  @Test func latencyEndsWhenThePeerCloses() throws {
    client.request("/p?latency=600000")
    #expect(server.waitForRequests(1, timeout: 60))

    client.leave()

    #expect(server.wait(timeout: 60) { $0.first?.outcome == .abandoned })
  }
}
