import Glibc
import OpenDescriptors
import Testing
import VitrineGalleryServer

@Suite("Starting and stopping", .timeLimit(.minutes(5)))
struct StoppingTests {
  @Test func stoppedServerLeavesNoDescriptorOpen() async {
    await #expect(processExitsWith: .success) {
      // The exit test runs in its own process, in which no other test opens descriptors.
      let folder = TemporaryFolder()
      folder.write(Array(repeating: 1, count: 8 << 20), to: "a.png")
      try GalleryServer().stop()
      let before = openDescriptors()
      for _ in 0..<3 {
        let server = try GalleryServer(images: folder.path)
        let targets = ["a.png", "a.png?latency=600000", "a.png?stall=5", "a.png?endless=1", "none"]
        let clients = try targets.map { target in
          let client = try Client(port: server.port)
          client.request("/gallery/" + target)
          return client
        }
        let idle = try Client(port: server.port)
        precondition(server.waitForRequests(targets.count, timeout: 60))
        precondition(openDescriptors() > before + targets.count)

        server.stop()

        for client in clients + [idle] { client.leave() }
        precondition(openDescriptors() == before)
      }
    }
  }

  @Test func stoppingEndsRunningResponses() throws {
    let server = try GalleryServer()
    server.add(Resource(body: Array(repeating: 1, count: 1000)), at: "/a")
    let targets = ["/a?latency=600000", "/a?stall=1", "/a?endless=1", "/a?rate=1"]
    let clients = try targets.map { target in
      let client = try Client(port: server.port)
      client.request(target)
      return client
    }
    #expect(server.waitForRequests(targets.count, timeout: 60))

    server.stop()

    #expect(server.log.allSatisfy { $0.outcome == .stopped })
    #expect(throws: ClientError.ended) { try clients[0].read(1) }
  }

  @Test func stoppedServerToleratesFurtherCalls() throws {
    let server = try GalleryServer()

    server.stop()
    server.stop()
    server.behaviour.isDown = true
    server.add(Resource(), at: "/a")

    #expect(server.log.isEmpty)
    #expect(throws: ClientError.failed(ECONNREFUSED)) { try Client(port: server.port) }
  }

  @Test func releasedServerStops() throws {
    var server: GalleryServer? = try GalleryServer()
    let port = try #require(server?.port)

    server = nil

    #expect(throws: ClientError.failed(ECONNREFUSED)) { try Client(port: port) }
  }

  @Test func takenPortIsReportedAsAnError() throws {
    let server = try GalleryServer()
    let port = server.port

    #expect(throws: GalleryServerError.cannotListen(port: port, code: EADDRINUSE)) {
      try GalleryServer(port: port)
    }
    server.stop()
    #expect(try GalleryServer(port: port).baseURL == "http://127.0.0.1:\(port)")
  }

  @Test(arguments: ["/none/at/all", "/etc/passwd"])
  func invalidFolderIsReportedAsAnError(path: String) {
    #expect(throws: GalleryServerError.noSuchFolder(path)) { try GalleryServer(images: path) }
  }
}
