import Testing

@testable import VitrineGalleryServer

@Suite("Logging requests", .timeLimit(.minutes(5)))
struct LogTests {
  private let server: GalleryServer

  init() throws {
    server = try GalleryServer()
    server.add(Resource(body: [1, 2, 3]), at: "/a")
  }

  @Test func requestIsLoggedWithItsResponse() throws {
    _ = try Client(port: server.port).get("/a?row=%31", headers: ["X-One: 1"])
    _ = try Client(port: server.port).get("/none", method: "HEAD")

    let log = server.log
    #expect(log.map(\.method) == ["GET", "HEAD"])
    #expect(log.map(\.target) == ["/a?row=%31", "/none"])
    #expect(log.map(\.status) == [200, 404])
    #expect(log.map(\.bodyBytesSent) == [3, 0])
    #expect(log.map(\.connection) == [1, 2])
    #expect(log[0].headers == ["host": "localhost", "x-one": "1"])
  }

  @Test func responseIsLoggedAsFinishedOnceItsLastByteIsRead() throws {
    let client = try Client(port: server.port)

    for count in 1...200 {
      _ = try client.get("/a")
      #expect(server.log.count { $0.wasFinished } == count)
    }
  }

  @Test func clearedLogDropsRunningResponsesToo() throws {
    let client = try Client(port: server.port)
    client.request("/a?stall=1")
    _ = try client.readHead()

    server.clearLog()
    server.clearLog()
    client.leave()
    _ = try Client(port: server.port).get("/a")

    #expect(server.log.map(\.target) == ["/a"])
    #expect(server.connectionCount == 2)
  }

  @Test func waitForRequestsTimesOut() throws {
    #expect(server.waitForRequests(0, timeout: 0))
    #expect(!server.waitForRequests(1, timeout: 0))
    #expect(!server.waitForRequests(1, timeout: 0.01))
  }

  @Test func largeRecordsAreDroppedOverTheByteLimit() {
    let log = RequestLog(byteLimit: 1 << 20)
    let head = ["x-large": String(repeating: "a", count: 60 << 10)]
    for number in 0..<1000 {
      var record = Record(method: "GET", target: "/\(number)", headers: head, connection: 1, status: 200)
      let index = log.add(record)
      log.update(index, &record) { $0.bodyBytesSent = number }
    }

    let records = log.records
    #expect((8...17).contains(records.count))
    #expect(records.last?.target == "/999")
    #expect(records.map { "/\($0.bodyBytesSent)" } == records.map(\.target))
  }

  @Test func logWithoutCapacityKeepsNoRecords() throws {
    let server = try GalleryServer(logBytes: 0)
    server.add(Resource(body: [1, 2, 3]), at: "/a")
    let client = try Client(port: server.port)

    for _ in 0..<3 { #expect(try client.get("/a").body == [1, 2, 3]) }

    #expect(server.log.isEmpty)
    #expect(server.connectionCount == 1)
  }

  @Test func oldestRecordsAreDroppedOverTheCountLimit() {
    let log = RequestLog()
    let blank = Record(method: "GET", target: "/", headers: [:], connection: 1, status: 200)
    for _ in 0..<RequestLog.limit { _ = log.add(blank) }
    var record = blank

    let number = log.add(record)
    log.update(number, &record) { $0.bodyBytesSent = 5 }
    log.update(0, &record) { $0.bodyBytesSent = 6 }

    #expect(log.records.count == RequestLog.limit - RequestLog.limit / 10 + 1)
    #expect(log.records.last?.bodyBytesSent == 5)
    #expect(log.records.first?.bodyBytesSent == 0)
  }
}
