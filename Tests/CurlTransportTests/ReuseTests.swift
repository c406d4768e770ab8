import FoundationEssentials
import Synchronization
import Testing
import VitrineCurlTransport
import VitrineGalleryServer
import VitrineLoading

@Suite("Connections are reused, and dead connections are replaced", .timeLimit(.minutes(5)))
struct ReuseTests {
  @Test func oneConnectionServesConsecutiveRequests() async throws {
    let server = try ScriptedServer { _ in [.response("hello")] }
    defer { server.stop() }
    let transport = CurlTransport()

    var connections: [Int?] = []
    for _ in 0..<5 { connections.append(try await transport.get(server.url).metrics?.connections) }

    #expect(connections == [1, 0, 0, 0, 0])
    #expect(server.connectionCount == 1)
  }

  @Test func freedConnectionServesAWaitingTransfer() async throws {
    let server = try GalleryServer()
    server.add(Resource(body: Array(repeating: 7, count: 200_000), contentType: "image/png"), at: "/one")
    let transport = CurlTransport(configuration: .init(connectionsPerHost: 2))

    for _ in 0..<5 {
      let recorders = (0..<100).map { _ in Recorder() }
      for recorder in recorders {
        try transport.start(
          server.baseURL + "/one", timeouts: .init(connect: 60, total: 8), receiver: recorder)
      }
      for recorder in recorders { #expect(await recorder.end().error == nil) }
    }

    #expect(server.connectionCount <= 2)
  }

  @Test func connectionThatDiesBeforeTheResponseIsReplaced() async throws {
    let server = try ScriptedServer { request in request.number == 0 ? [.response("hello")] : [.reset] }
    defer { server.stop() }
    let transport = CurlTransport()

    _ = try await transport.get(server.url)
    let calls = try await transport.get(server.url)

    #expect(calls.text == "hello" && calls.responses.count == 1)
    #expect(calls.metrics?.requests == 1)
    #expect(server.connectionCount == 2)
  }

  @Test func requestSucceedsDespiteManyDeadConnections() async throws {
    let together = Signal()
    let arrived = Atomic(0)
    let server = try ScriptedServer { request in
      guard request.number == 0 else { return [.close] }
      if arrived.add(1, ordering: .relaxed).newValue == 14 { together.fire() }
      together.waitBlocking()
      return [.response("hello")]
    }
    defer { server.stop() }
    let transport = CurlTransport(configuration: .init(connectionsPerHost: 14))
    let recorders = (0..<14).map { _ in Recorder() }
    for recorder in recorders { try transport.start(server.url, receiver: recorder) }
    for recorder in recorders { await recorder.end() }
    #expect(server.connectionCount == 14)

    let calls = try await transport.get(server.url)

    #expect(calls.text == "hello")
  }

  @Test func requestFailsIfItsNewConnectionDies() async throws {
    let server = try ScriptedServer { _ in [.reset] }
    defer { server.stop() }

    let calls = try await CurlTransport().get(server.url)

    #expect(calls.failure == .connectionLost)
    #expect(server.requests.count == 1)
  }

  @Test func requestIsNotResentOnceTheResponseHasBegun() async throws {
    let server = try ScriptedServer { request in
      request.number == 0
        ? [.response("hello")] : [.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"), .reset]
    }
    defer { server.stop() }
    let transport = CurlTransport()

    _ = try await transport.get(server.url)
    let calls = try await transport.get(server.url)

    #expect(calls.failure != nil && calls.responses.count == 1)
    #expect(server.requests.count == 2)
  }

  @Test func serverMayRestartBetweenRequests() async throws {
    let first = try ScriptedServer { _ in [.response("first")] }
    let transport = CurlTransport()
    let before = try await transport.get(first.url)
    first.stop()
    await first.hasClosed()

    let second = try ScriptedServer(port: first.port) { _ in [.response("second")] }
    defer { second.stop() }
    let after = try await transport.get(second.url)

    #expect(before.text == "first" && after.text == "second")
  }
}
