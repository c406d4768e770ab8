import Testing
import VitrineGalleryServer

@Suite("Changing the server's behavior", .timeLimit(.minutes(5)))
struct BehaviourTests {
  private let server: GalleryServer

  init() throws {
    server = try GalleryServer()
    server.add(Resource(body: [1]), at: "/a")
    server.add(Resource(body: Array(repeating: 8, count: 8 << 20)), at: "/large")
  }

  @Test func downServerClosesConnectionsWithoutAResponse() throws {
    server.behaviour.isDown = true
    let client = try Client(port: server.port)

    client.request("/a")

    #expect(try client.readToEnd() == [])
    #expect(server.log.isEmpty)
    #expect(server.connectionCount == 1)
  }

  @Test func serverGoingDownClosesIdleConnections() throws {
    let client = try Client(port: server.port)
    _ = try client.get("/a")

    server.behaviour.isDown = true

    #expect(try client.readToEnd() == [])
  }

  @Test func serverGoingDownCompletesRunningResponses() throws {
    let client = try Client(port: server.port)
    client.request("/large")
    _ = try client.readHead()

    server.behaviour.isDown = true

    #expect(try client.read(8 << 20).count == 8 << 20)
    #expect(try client.readToEnd() == [])
  }

  @Test func restoredServerRespondsAgain() throws {
    server.behaviour.isDown = true
    #expect(try Client(port: server.port).readToEnd() == [])

    server.behaviour.isDown = false

    #expect(try Client(port: server.port).get("/a").body == [1])
  }

  @Test func runningResponseKeepsItsBehavior() throws {
    let client = try Client(port: server.port)
    server.behaviour.latency = .fixed(600_000)
    client.request("/a")
    #expect(server.waitForRequests(1, timeout: 60))

    server.behaviour = Behaviour()

    #expect(try Client(port: server.port).get("/a").body == [1])
    #expect(server.log.map(\.outcome) == [.running, .finished])
  }

  @Test func serverStartsWithTheGivenBehavior() throws {
    let server = try GalleryServer(behaviour: Behaviour(latency: .varied(around: 2), isDown: true))

    #expect(server.behaviour.isDown)
    #expect(server.behaviour.latency == .varied(around: 2))
    #expect(try Client(port: server.port).readToEnd() == [])
  }
}
