import Testing
import VitrineGalleryServer

@Suite("Serving", .timeLimit(.minutes(5)))
struct ServingTests {
  private let server: GalleryServer

  init() throws {
    server = try GalleryServer()
    server.add(
      Resource(body: [1, 2, 3], contentType: "image/png", headers: ["X-Maker": "me"]), at: "/one.png")
  }

  @Test func addedResourceIsServedWithItsTypeAndHeaders() throws {
    let response = try Client(port: server.port).get("/one.png?row=5")

    #expect(response.status == 200)
    #expect(response.body == [1, 2, 3])
    #expect(response.headers["content-type"] == "image/png")
    #expect(response.headers["content-length"] == "3")
    #expect(response.headers["x-maker"] == "me")
    #expect(response.headers["date"]?.hasSuffix(" GMT") == true)
  }

  @Test func laterResourceReplacesTheResourceAtItsPath() throws {
    let client = try Client(port: server.port)
    server.add(Resource(body: [4]), at: "one.png")
    server.add(Resource(body: [5]), at: "/a b")

    #expect(try client.get("/one.png").body == [4])
    #expect(try client.get("/a%20b").body == [5])
  }

  @Test func emptyResourceHasNoBody() throws {
    server.add(Resource(), at: "/empty")
    let client = try Client(port: server.port)

    #expect(try client.get("/empty").headers["content-length"] == "0")
    #expect(try client.get("/empty?chunked=1").body == [])
  }

  @Test func unknownPathIsNotFound() throws {
    let client = try Client(port: server.port)

    #expect(try client.get("/gallery/none.jpg").status == 404)
    #expect(try client.get("/").status == 404)
  }

  @Test func connectionIsKeptForSeveralRequests() throws {
    let client = try Client(port: server.port)

    for _ in 0..<3 { #expect(try client.get("/one.png").body == [1, 2, 3]) }

    #expect(server.connectionCount == 1)
  }

  @Test func pipelinedRequestsReceiveResponsesInOrder() throws {
    let client = try Client(port: server.port)

    for target in ["/one.png", "/none", "/one.png?status=500"] { client.request(target) }

    #expect(try (0..<3).map { _ in try client.readResponse().status } == [200, 404, 500])
  }

  @Test func responseToHeadHasNoBody() throws {
    let client = try Client(port: server.port)

    let response = try client.get("/one.png", method: "HEAD")

    #expect(response.headers["content-length"] == "3")
    #expect(try client.get("/one.png").body == [1, 2, 3])
  }

  @Test func connectionIsClosedAtTheClientsRequest() throws {
    let client = try Client(port: server.port)

    #expect(try client.get("/one.png", headers: ["Connection: close"]).body == [1, 2, 3])
    #expect(try client.readToEnd() == [])
  }

  @Test func http10ConnectionIsClosedAfterTheResponse() throws {
    let client = try Client(port: server.port)
    client.send("GET /one.png HTTP/1.0\r\n\r\n")

    #expect(try client.readResponse().body == [1, 2, 3])
    #expect(try client.readToEnd() == [])
  }

  @Test func unsupportedMethodIsNotAllowed() throws {
    let client = try Client(port: server.port)
    let body = String(repeating: "x", count: 4_000_000)

    let wasSent = client.send(
      "POST /one.png HTTP/1.1\r\nHost: x\r\nContent-Length: 4000000\r\n\r\n" + body)

    #expect(wasSent)
    let response = try client.readResponse()
    #expect(response.status == 405)
    #expect(response.headers["allow"] == "GET, HEAD")
    #expect(try client.readToEnd() == [])
  }

  @Test(arguments: [
    ("nonsense\r\n\r\n", 400), ("GET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/3.0\r\nHost: x\r\n\r\n", 505),
    ("GET / HTTP/1.1\r\nHost: x\r\nX: " + String(repeating: "x", count: 4_000_000), 431),
  ])
  func invalidRequestIsRefusedAndItsConnectionClosed(text: String, status: Int) throws {
    let client = try Client(port: server.port)

    let wasSent = client.send(text)

    #expect(wasSent)
    #expect(try client.readResponse().status == status)
    #expect(try client.readToEnd() == [])
    #expect(server.log.map(\.status) == [status])
  }

  @Test func manyConnectionsAreServedAtOnce() throws {
    server.add(Resource(body: Array(repeating: 8, count: 100_000)), at: "/large")
    let clients = try (0..<100).map { _ in try Client(port: server.port) }

    for client in clients { client.request("/large?rate=1000000") }

    for client in clients { #expect(try client.readResponse().body.count == 100_000) }
    #expect(server.connectionCount == 100)
  }

  @Test func slowReaderDoesNotDelayOtherClients() throws {
    server.add(Resource(body: Array(repeating: 8, count: 8 << 20)), at: "/large")
    let slow = try Client(port: server.port)
    slow.request("/large")
    _ = try slow.readHead()

    #expect(try Client(port: server.port).get("/one.png").status == 200)
    #expect(try slow.read(8 << 20).count == 8 << 20)
  }
}
