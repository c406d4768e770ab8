import FoundationEssentials
import Glibc
import Testing
import VitrineCurlTransport
import VitrineLoading

@Suite("A transfer stays within its limits for any behavior of the server", .timeLimit(.minutes(5)))
struct LimitTests {
  @Test func bodyMayFillItsLimitExactly() async throws {
    let server = try ScriptedServer { _ in [.response("hello")] }
    defer { server.stop() }

    let calls = try await CurlTransport().get(server.url, bodyLimit: 5)

    #expect(calls.text == "hello" && calls.metrics != nil)
  }

  @Test func declaredLengthOverTheLimitIsRefusedAtOnce() async throws {
    let server = try ScriptedServer { _ in
      [.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n"), .hold]
    }
    defer { server.stop() }

    let calls = try await CurlTransport().get(server.url, bodyLimit: 5)

    #expect(calls.error == .tooLarge(.body(bytes: 5)))
    #expect(calls.body.isEmpty)
  }

  @Test func endlessBodyEndsAtTheLimit() async throws {
    let chunk = "1000\r\n" + String(repeating: "x", count: 0x1000) + "\r\n"
    let server = try ScriptedServer { _ in
      [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")]
        + Array(repeating: .send(chunk), count: 1000) + [.hold]
    }
    defer { server.stop() }

    let calls = try await CurlTransport().get(server.url, bodyLimit: 100_000)

    #expect(calls.error == .tooLarge(.body(bytes: 100_000)))
    #expect(calls.body.count <= 100_000)
  }

  @Test func bodyShorterThanDeclaredFails() async throws {
    let server = try ScriptedServer { _ in
      [.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"), .close]
    }
    defer { server.stop() }

    let calls = try await CurlTransport().get(server.url)

    #expect(calls.failure == .truncatedBody)
    #expect(calls.text == "hello")
  }

  @Test func bytesAfterTheDeclaredLengthAreNotPartOfTheBody() async throws {
    let server = try ScriptedServer { _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloworld")] }
    defer { server.stop() }

    let calls = try await CurlTransport().get(server.url)

    #expect(calls.text == "hello" && calls.metrics != nil)
  }

  @Test(arguments: ["-5", "abc", "99999999999999999999999"])
  func invalidContentLengthIsIgnoredOrRefused(length: String) async throws {
    let server = try ScriptedServer { _ in
      [.send("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\nhello"), .close]
    }
    defer { server.stop() }

    let calls = try await CurlTransport().get(server.url, bodyLimit: 5)

    #expect(
      calls.text == "hello" || calls.failure == .malformedResponse
        || calls.error == .tooLarge(.body(bytes: 5)))
  }

  @Test(arguments: [Int.max, Int.max / 4 + 1, Int.max / 4])
  func hugeContentLengthIsRefusedOrCapped(length: Int) async throws {
    let server = try ScriptedServer { _ in
      [.send("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\nhello"), .close]
    }
    defer { server.stop() }

    let limited = try await CurlTransport().get(server.url)
    let unlimited = try await CurlTransport().get(server.url, bodyLimit: .max)

    #expect(limited.error == .tooLarge(.body(bytes: 64 << 20)))
    #expect(unlimited.text == "hello" && unlimited.failure == .truncatedBody)
    #expect(unlimited.responses.map(\.expectedLength) == [Int.max / 4])
  }

  @Test(arguments: [-Double.infinity, -1e300, -1, 0])
  func timeoutsOfZeroOrLessExpireAtOnce(seconds: Double) async throws {
    let server = try ScriptedServer { _ in [.hold] }
    defer { server.stop() }
    let full = try FullListener()
    defer { full.close() }
    let transport = CurlTransport()

    let unconnected = try await transport.get(
      "http://127.0.0.1:\(full.port)/", timeouts: .init(connect: seconds, stall: .infinity, total: .infinity))
    let silent = try await transport.get(
      server.url, timeouts: .init(connect: 300, stall: seconds, total: .infinity))
    let over = try await transport.get(server.url, timeouts: .init(connect: 300, stall: 300, total: seconds))

    #expect(unconnected.error == .timedOut(.connect(seconds: seconds)))
    #expect(silent.error == .timedOut(.stall(seconds: seconds)))
    #expect(over.error == .timedOut(.total(seconds: seconds)))
  }

  @Test(arguments: [Double.nan, .infinity, 1e300, 1e9])
  func infiniteAndNaNTimeoutsDoNotFailATransfer(seconds: Double) async throws {
    let server = try ScriptedServer { _ in [.response("hello")] }
    defer { server.stop() }

    let calls = try await CurlTransport().get(
      server.url, timeouts: .init(connect: seconds, stall: seconds, total: seconds))

    #expect(calls.text == "hello")
  }

  @Test func tooManyOrTooLargeHeadersFail() async throws {
    let many = (0..<300).map { "A\($0): 1\r\n" }.joined()
    let large = "A: " + String(repeating: "x", count: 70_000) + "\r\n"
    let server = try ScriptedServer { request in
      [.send("HTTP/1.1 200 OK\r\n" + (request.target == "/many" ? many : large) + "\r\n")]
    }
    defer { server.stop() }
    let transport = CurlTransport()

    let first = try await transport.get(server.url + "/many")
    let second = try await transport.get(server.url + "/large")

    #expect(first.error == .transport(.malformedResponse, message: "the response head is too large"))
    #expect(second.error == first.error)
  }

  @Test(arguments: ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"])
  func stallTimeoutEndsASilentTransfer(beginning: String) async throws {
    let server = try ScriptedServer { _ in [.send(beginning), .hold] }
    defer { server.stop() }

    let calls = try await CurlTransport().get(
      server.url, timeouts: .init(connect: 300, stall: 0.2, total: 300))

    #expect(calls.error == .timedOut(.stall(seconds: 0.2)))
  }

  @Test func totalTimeoutEndsARunningTransfer() async throws {
    let server = try ScriptedServer { _ in
      [.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"), .hold]
    }
    defer { server.stop() }

    let calls = try await CurlTransport().get(
      server.url, timeouts: .init(connect: 300, stall: .infinity, total: 0.2))

    #expect(calls.error == .timedOut(.total(seconds: 0.2)))
    #expect(calls.text == "hello")
  }

  @Test func metricsOfAFailedTransferCoverItsWholeTime() async throws {
    let server = try ScriptedServer { _ in
      [.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"), .hold]
    }
    defer { server.stop() }

    let calls = try await CurlTransport().get(
      server.url, timeouts: .init(connect: 300, stall: .infinity, total: 0.5))

    let metrics = try #require(calls.failureMetrics)
    #expect(metrics.firstByte > 0 && metrics.firstByte < metrics.total)
    #expect(metrics.total > 0.45)
  }

  @Test func connectTimeoutEndsAnUnansweredConnection() async throws {
    let full = try FullListener()
    defer { full.close() }

    let calls = try await CurlTransport().get(
      "http://127.0.0.1:\(full.port)/", timeouts: .init(connect: 0.2, total: 5))

    #expect(calls.error == .timedOut(.connect(seconds: 0.2)))
    #expect(calls.responses.isEmpty)
  }

  @Test func refusedConnectionFails() async throws {
    let server = try ScriptedServer { _ in [] }
    server.stop()

    let calls = try await CurlTransport().get(server.url)

    #expect(calls.failure == .cannotConnect)
  }

  @Test func transfersWaitingForOneConnectionTimeOutWithIt() async throws {
    // The kernel accepts connections, and the TLS handshake is never answered.
    let mute = try #require(Loopback.bind())
    #expect(listen(mute.socket, 128) == 0)
    defer { close(mute.socket) }
    let transport = CurlTransport()
    let recorders = (0..<8).map { _ in Recorder() }

    for recorder in recorders {
      try transport.start(
        "https://127.0.0.1:\(mute.port)/", timeouts: .init(connect: 0.5, total: 300), receiver: recorder)
    }

    for recorder in recorders { #expect(await recorder.end().error == .timedOut(.connect(seconds: 0.5))) }
    // The transfers wait for the first connection. When it ends, those that began a moment later may connect, but if
    // each transfer had its time limit for its own connection, all of them would.
    #expect(fcntl(mute.socket, F_SETFL, O_NONBLOCK) == 0)
    var connections = 0
    while case let socket = accept(mute.socket, nil, nil), socket >= 0 {
      close(socket)
      connections += 1
    }
    #expect((1..<recorders.count).contains(connections))
  }

  @Test func connectionsToOneHostAreBounded() async throws {
    let server = try ScriptedServer { _ in [.response("hello")] }
    defer { server.stop() }
    let transport = CurlTransport(configuration: .init(connectionsPerHost: 2))
    let recorders = (0..<20).map { _ in Recorder() }

    for recorder in recorders { try transport.start(server.url, receiver: recorder) }
    for recorder in recorders { #expect(await recorder.end().text == "hello") }

    #expect(server.connectionCount <= 2)
  }
}

/// A listening socket whose queue is full, so that Linux leaves further connections unanswered.
private final class FullListener {
  let port: UInt16
  private var sockets: [Int32]

  init() throws {
    let bound = try #require(Loopback.bind())
    listen(bound.socket, 0)
    port = bound.port
    sockets = [bound.socket]
    for _ in 0..<2 {
      let filler = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
      sockets.append(filler)
      Loopback.connect(filler, to: port)
    }
  }

  func close() {
    for socket in sockets { Glibc.close(socket) }
  }
}
