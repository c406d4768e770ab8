import Glibc
import Synchronization
import Testing

@testable import VitrineGalleryServer

@Suite("The number of connections is bounded, and idle connections make room", .timeLimit(.minutes(5)))
struct ConnectionLimitTests {
  private let limit = ConnectionLimit(maximumCount: 4)

  @Test func longestIdleConnectionIsReplaced() {
    #expect(limit.admission([]) == .accept)
    #expect(limit.admission([1, nil, 2]) == .accept)
    #expect(limit.admission([9, nil, 3, 5]) == .acceptAfterClosing(2))
    #expect(limit.admission([nil, nil, nil, nil]) == .wait)
    #expect(ConnectionLimit(maximumCount: 0).admission([]) == .wait)
  }

  @Test func limitLeavesMostDescriptorsToTheProgram() {
    #expect((16...512).contains(ConnectionLimit.ofProcess.maximumCount))
  }

  @Test func serverRespondsDespiteManyIdleConnections() throws {
    let server = try server()
    let idle = try (0..<40).map { _ in try Client(port: server.port) }

    let status = try Client(port: server.port).get("/p").status

    #expect(status == 200)
    // The oldest connections were closed to make room.
    #expect(throws: ClientError.self) { try idle[0].get("/p") }
    #expect(try idle[39].get("/p").status == 200)
  }

  @Test func idleConnectionDoesNotWakeTheServer() {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16, alignment: 1)
    defer { buffer.deallocate() }
    let state = ServerState(behaviour: Behaviour(), catalog: Catalog(folder: nil))
    let connection = Connection(-1, number: 1, server: state, buffer: buffer, limit: limit, at: 5)

    connection.proceed(0, at: 1_000_000_000_000_000)

    #expect(connection.interest.deadline == nil)
    #expect(connection.idleSince == 5)
  }

  @Test func connectionsWithRunningResponsesAreNotClosed() throws {
    let server = try server()
    let busy = try (0..<4).map { _ in try Client(port: server.port) }
    for client in busy { client.request("/p?stall=1") }
    #expect(server.waitForRequests(4, timeout: 60))

    let waiting = try Client(port: server.port)
    waiting.request("/p")
    let bodies = try busy.map { client in
      _ = try client.readHead()
      return try client.read(1)
    }
    busy[2].leave()

    #expect(bodies == Array(repeating: [1], count: 4))
    #expect(try waiting.readResponse().status == 200)
  }

  @Test func stalledResponsesAreStoppedAfterTheStallTime() throws {
    let server = try server(ConnectionLimit(maximumCount: 4, stallTime: 50_000_000))
    let stalled = try (0..<4).map { _ in try Client(port: server.port) }
    for client in stalled { client.request("/p?stall=0") }
    #expect(server.waitForRequests(4, timeout: 60))

    #expect(try Client(port: server.port).get("/p").status == 200)
    #expect(server.wait(timeout: 60) { $0.count { $0.outcome == .stopped } == 4 })
  }

  @Test func unreadResponseIsStopped() throws {
    let server = try server(ConnectionLimit(maximumCount: 1, stallTime: 50_000_000))
    let client = try Client(port: server.port)
    client.request("/p?endless=1")

    #expect(try Client(port: server.port).get("/p").status == 200)
    #expect(server.log.first?.outcome == .stopped)
  }

  @Test func responseDelayedByItsLatencyIsNotStopped() throws {
    let server = try server(ConnectionLimit(maximumCount: 4, stallTime: 1_000_000))

    #expect(try Client(port: server.port).get("/p?latency=100").status == 200)
  }

  @Test(arguments: [EMFILE, ENFILE, ENOBUFS, ENOMEM])
  func serverSurvivesALackOfDescriptors(code: Int32) throws {
    let attempts = Mutex(0)
    let server = try server { listener in
      let number = attempts.withLock { number in
        number += 1
        return number
      }
      guard number > 1 && number < 5 else { return Glibc.accept(listener, nil, nil) }
      errno = code
      return -1
    }
    let idle = try Client(port: server.port)
    #expect(try idle.get("/p").status == 200)

    let later = try Client(port: server.port).get("/p")

    #expect(later.status == 200)
    // The idle connection was closed to free its descriptor.
    #expect(try idle.readToEnd() == [])
    // The server paused instead of trying continuously.
    #expect(attempts.withLock { $0 } < 12)
  }

  @Test func connectionThatTakesTheLastDescriptorReceivesAResponse() throws {
    let accepted = Mutex(false)
    let server = try server { listener in
      let isFull = accepted.withLock { accepted in
        defer { accepted = true }
        return accepted
      }
      guard isFull else { return Glibc.accept(listener, nil, nil) }
      // With all descriptors in use, `accept` fails like this even if no connection is waiting.
      errno = EMFILE
      return -1
    }

    #expect(try Client(port: server.port).get("/p").status == 200)
  }

  private func server(
    _ limit: ConnectionLimit = ConnectionLimit(maximumCount: 4),
    accept: @escaping Accept = { Glibc.accept($0, nil, nil) }
  ) throws -> GalleryServer {
    let server = try GalleryServer(limit: limit, accept: accept)
    server.add(Resource(body: [1, 2], contentType: "image/png"), at: "/p")
    return server
  }
}
