import Glibc
import OpenDescriptors
import Testing
import VitrineGalleryServer

@Suite("Delaying proxy", .timeLimit(.minutes(5)))
struct DelayingProxyTests {
  @Test func responseArrivesCompleteAfterTheRoundTripDelay() throws {
    let server = try GalleryServer()
    let body = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7919 >> 3) }
    server.add(Resource(body: body), at: "/a")
    let proxy = try DelayingProxy(to: server.port, delay: 0.02)
    let client = try Client(port: proxy.port)

    for _ in 0..<2 {
      var response: Response?
      let time = try ContinuousClock().measure { response = try client.get("/a") }
      #expect(response?.body == body)
      #expect(time >= .milliseconds(40))
    }

    #expect(proxy.connectionCount == 1)
    #expect(server.log.count == 2)
  }

  @Test func closingEitherSideIsForwarded() throws {
    let server = try GalleryServer()
    server.add(Resource(body: [1, 2, 3]), at: "/a")
    let proxy = try DelayingProxy(to: server.port, delay: 0.001)
    let closing = try Client(port: proxy.port)
    let leaving = try Client(port: proxy.port)

    leaving.request("/a?endless=1")
    #expect(server.waitForRequests(1, timeout: 60))
    leaving.leave()

    #expect(try closing.get("/a?truncate=2&length=none").body == [1, 2])
    #expect(server.wait(timeout: 60) { $0[0].outcome == .abandoned })
  }

  @Test func connectionIsClosedWithoutAServer() throws {
    let server = try GalleryServer()
    let proxy = try DelayingProxy(to: server.port, delay: 0)
    server.stop()
    let client = try Client(port: proxy.port)

    #expect(throws: (any Error).self) { try client.get("/a") }
    #expect(proxy.connectionCount == 0)
  }

  @Test func stoppedProxyLeavesNoDescriptorOpen() async {
    await #expect(processExitsWith: .success) {
      // Opens the descriptors that the process opens only once.
      try GalleryServer().stop()
      let before = openDescriptors()
      let server = try GalleryServer()
      server.add(Resource(body: [1]), at: "/a")
      let proxy = try DelayingProxy(to: server.port, delay: 60)
      let clients = try (0..<3).map { _ in try Client(port: proxy.port) }
      for client in clients { client.request("/a") }

      proxy.stop()
      proxy.stop()

      for client in clients { client.leave() }
      server.stop()
      precondition(openDescriptors() == before)
    }
  }
}
