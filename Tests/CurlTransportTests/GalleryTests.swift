import FoundationEssentials
import Testing
import VitrineConcurrency
import VitrineCurlTransport
import VitrineGalleryServer
import VitrineLoading

@Suite("Each fault of the gallery server ends with the expected result", .timeLimit(.minutes(5)))
struct GalleryTests {
  private let body = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }

  private func server() throws -> GalleryServer {
    let server = try GalleryServer()
    server.add(Resource(body: body, contentType: "image/png"), at: "/one.png")
    return server
  }

  @Test(arguments: ["", "?chunked=1", "?length=none", "?close=1", "?rate=2000000", "?hops=5"])
  func bodyArrivesCompletelyInEachFraming(query: String) async throws {
    let server = try server()

    let calls = try await CurlTransport().get(server.baseURL + "/one.png" + query)

    #expect(calls.error == nil)
    #expect(calls.body == body)
    #expect(calls.responses.first?.headers["content-type"] == "image/png")
  }

  @Test(
    arguments: [
      ("?truncate=5000", .truncatedBody), ("?length=+5", .truncatedBody), ("?reset=5000", .connectionLost),
      ("?reset=0", .connectionLost), ("?garbage=1", .unsupported),
    ] as [(String, TransportFailure)])
  func networkFaultsAreReportedWithTheirKind(query: String, failure: TransportFailure) async throws {
    let server = try server()

    let calls = try await CurlTransport().get(server.baseURL + "/one.png" + query)

    #expect(calls.failure == failure, "\(String(describing: calls.error))")
  }

  @Test(arguments: ["?stall=5000", "?stall=0"])
  func silentServerTimesOut(query: String) async throws {
    let server = try server()

    let calls = try await CurlTransport().get(
      server.baseURL + "/one.png" + query, timeouts: .init(stall: 0.3))

    #expect(calls.error == .timedOut(.stall(seconds: 0.3)))
  }

  @Test(arguments: [
    ("/none.png", ImageError.status(404)), ("/one.png?status=503", .status(503)),
    ("/one.png?loop=1", .redirectRefused(.tooMany(limit: 5))),
    ("/one.png?hops=6", .redirectRefused(.tooMany(limit: 5))),
    ("/one.png?redirect=ftp%3A%2F%2F127.0.0.1%2Fa", .redirectRefused(.scheme("ftp"))),
    ("/one.png?endless=1", .tooLarge(.body(bytes: 200_000))),
    ("/one.png?length=%2B200000", .tooLarge(.body(bytes: 200_000))),
  ])
  func refusedResponsesHaveTypedErrors(target: String, error: ImageError) async throws {
    let server = try server()

    let calls = try await CurlTransport().get(server.baseURL + target, bodyLimit: 200_000)

    #expect(calls.error == error)
  }

  @Test(arguments: [301, 302, 303, 307, 308])
  func redirectLeadsToAnotherServer(status: Int) async throws {
    let (first, second) = (try server(), try server())
    let target = second.baseURL.replacing(":", with: "%3A").replacing("/", with: "%2F")

    let calls = try await CurlTransport().get(
      first.baseURL + "/one.png?redirect=\(target)%2Fone.png&status=\(status)",
      headers: ["X-Api-Key": "1", "Authorization": "2", "Accept": "image/*"])

    #expect(calls.body == body)
    #expect(calls.responses.first?.url == URL(string: second.baseURL + "/one.png"))
    #expect(calls.metrics?.requests == 2 && calls.metrics?.connections == 2)
    #expect(first.log.first?.headers["x-api-key"] == "1")
    #expect(
      second.log.map { $0.headers.keys.sorted() } == [["accept", "accept-encoding", "host", "user-agent"]])
  }

  @Test func conditionalRequestReportsNotModified() async throws {
    let server = try server()

    let calls = try await CurlTransport().get(
      server.baseURL + "/one.png?etag=a", headers: ["If-None-Match": "\"a\""])

    #expect(calls.error == .status(304))
    #expect(calls.responses.first?.status == 304 && calls.body.isEmpty)
  }

  @Test func connectionsAreReused() async throws {
    let server = try server()
    let transport = CurlTransport()

    for _ in 0..<20 { #expect(try await transport.get(server.baseURL + "/one.png").body == body) }

    #expect(server.connectionCount == 1)
  }

  @Test func requestFailsWhileTheServerIsDownAndSucceedsAfterwards() async throws {
    let server = try server()
    let transport = CurlTransport()
    _ = try await transport.get(server.baseURL + "/one.png")

    server.behaviour.isDown = true
    let down = try await transport.get(server.baseURL + "/one.png")
    server.behaviour.isDown = false
    let up = try await transport.get(server.baseURL + "/one.png")

    #expect(down.failure == .connectionLost, "\(String(describing: down.error))")
    #expect(up.body == body)
  }

  @Test func serverMayRestartOnItsPort() async throws {
    let first = try server()
    let transport = CurlTransport()
    _ = try await transport.get(first.baseURL + "/one.png")
    first.stop()

    let second = try GalleryServer(port: first.port)
    second.add(Resource(body: [1, 2, 3], contentType: "image/png"), at: "/one.png")
    let calls = try await transport.get(second.baseURL + "/one.png")

    #expect(calls.body == [1, 2, 3])
  }

  @Test func cancelEndsTheExchangesOfTheServer() async throws {
    let server = try server()
    let transport = CurlTransport()
    let (late, long) = (Recorder(), Recorder())

    let first = try transport.start(server.baseURL + "/one.png?latency=60000", receiver: late)
    let second = try transport.start(server.baseURL + "/one.png?stall=500", receiver: long)
    await long.until { $0.body.count == 500 }
    #expect(server.waitForRequests(2, timeout: 60))
    first.cancel()
    second.cancel()

    #expect(await late.end().error == .cancelled)
    #expect(await long.end().error == .cancelled)
    #expect(server.wait(timeout: 60) { log in log.allSatisfy { $0.outcome != .running } })
  }
}
