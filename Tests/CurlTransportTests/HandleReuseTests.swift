import FoundationEssentials
import Testing
import VitrineConcurrency
import VitrineCurlTransport
import VitrineLoading

/// The transport keeps an easy handle with its options for the next transfer.
@Suite("A transfer shows nothing of the transfer that used its easy handle before", .timeLimit(.minutes(5)))
struct HandleReuseTests {
  @Test func eachRequestHasItsOwnURLAndHeaders() async throws {
    let server = try ScriptedServer { request in [.response(request.target)] }
    defer { server.stop() }
    let transport = CurlTransport()
    let requests: [(target: String, headers: HTTPHeaders)] = [
      ("/1", ["X-A": "1"]), ("/2", ["X-A": "1"]), ("/3", ["X-A": "2"]), ("/4", ["x-a": "2"]), ("/5", [:]),
      ("/6", [:]),
    ]

    for (target, headers) in requests {
      let calls = try await transport.get(server.url + target, headers: headers)
      #expect(calls.text == target && calls.metrics?.headBytesReceived ?? 0 > 0)
    }

    let lines = server.requests.map { request in
      request.head.split(separator: "\r\n").filter { $0.lowercased().hasPrefix("x-a") }
    }
    #expect(lines == [["X-A: 1"], ["X-A: 1"], ["X-A: 2"], ["x-a: 2"], [], []])
  }

  /// Plain URLs are set as parsed parts, and others as texts; see `EasyHandle.setURL`.
  @Test func plainURLsAndOthersFollowOneAnother() async throws {
    let server = try ScriptedServer { request in [.response(request.target)] }
    let other = try ScriptedServer { request in [.response("other " + request.target)] }
    defer {
      server.stop()
      other.stop()
    }
    let transport = CurlTransport()
    let plain = "http://localhost:\(server.port)"
    let urls = [
      plain + "/a?b=1", plain + "/c", plain + "/c?d", server.url + "/e?f=1", plain + "/g", plain + "/%41?h",
      plain + "/i", "http://localhost:\(other.port)/j?k=1", plain + "/l", "http://localhost:\(other.port)/m",
    ]

    var texts: [String] = []
    for url in urls { texts.append(try await transport.get(url).text) }

    #expect(
      texts == ["/a?b=1", "/c", "/c?d", "/e?f=1", "/g", "/%41?h", "/i", "other /j?k=1", "/l", "other /m"])
    #expect(
      server.requests.map { $0.fields.contains("host: localhost:\(server.port)") }
        == [true, true, true, false, true, true, true, true])
  }

  @Test func loginOfOneURLIsNotSentWithTheNext() async throws {
    let server = try ScriptedServer { _ in [.response("hello")] }
    defer { server.stop() }
    let transport = CurlTransport()
    let secret = "http://user:secret@127.0.0.1:\(server.port)/"

    for url in [server.url + "/", secret, server.url + "/", server.url + "/"] {
      #expect(try await transport.get(url).text == "hello")
    }

    #expect(server.requests.map { $0.head.contains("Authorization:") } == [false, true, false, false])
  }

  @Test func rangeAndTimeLimitAreThoseOfEachRequest() async throws {
    let server = try ScriptedServer { request in
      request.target == "/slow" ? [.hold] : [.response("hello")]
    }
    defer { server.stop() }
    let transport = CurlTransport()

    for headers in [[:], ["Range": "bytes=2-", "If-Range": "\"a\""], [:]] as [HTTPHeaders] {
      _ = try await transport.get(server.url + "/", headers: headers)
    }
    let slow = try await transport.get(
      server.url + "/slow", timeouts: .init(connect: 50, stall: 0.2, total: 90))
    let last = try await transport.get(server.url + "/")

    let isRange = server.requests.map { request in
      request.fields.contains { $0.hasPrefix("range:") || $0.hasPrefix("if-range:") }
    }
    #expect(isRange == [false, true, false, false, false])
    #expect(slow.error == .timedOut(.stall(seconds: 0.2)))
    #expect(last.text == "hello")
  }

  @Test func redirectLeavesNothingForTheNextRequest() async throws {
    let other = try ScriptedServer { _ in [.response("other")] }
    defer { other.stop() }
    let otherURL = other.url
    let server = try ScriptedServer { request in
      request.target == "/away"
        ? [.response("", status: "302 Found", fields: ["Location: \(otherURL)/there"])] : [.response("hello")]
    }
    defer { server.stop() }
    let transport = CurlTransport()
    let headers: HTTPHeaders = ["Authorization": "Bearer secret", "Accept": "image/*"]

    var texts: [String] = []
    for target in ["/", "/away", "/", "/away"] {
      texts.append(try await transport.get(server.url + target, headers: headers).text)
    }

    #expect(texts == ["hello", "other", "hello", "other"])
    #expect(other.requests.map { $0.head.contains("secret") } == [false, false])
    #expect(server.requests.map { $0.head.contains("Bearer secret") } == [true, true, true, true])
  }

  @Test func failedTransferLeavesNoOptions() async throws {
    let server = try ScriptedServer { request in
      request.target == "/bad"
        ? [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello"), .close] : [.response("hello")]
    }
    defer { server.stop() }
    let transport = CurlTransport()

    for _ in 0..<3 {
      let bad = try await transport.get(server.url + "/bad", headers: ["X-A": "1"])
      let good = try await transport.get(server.url + "/good")
      #expect(bad.error != nil && good.text == "hello")
    }

    let lines = server.requests.filter { $0.target == "/good" }.map { $0.fields.contains("x-a: 1") }
    #expect(lines == [false, false, false])
  }

  @Test func metricsAreThoseOfEachTransfer() async throws {
    let server = try ScriptedServer { request in
      [.response("hello", fields: request.target == "/1" ? ["X-A: some more bytes"] : [])]
    }
    defer { server.stop() }
    let transport = CurlTransport()

    var metrics: [TransportMetrics] = []
    for target in ["/1", "/2", "/longer"] {
      metrics.append(try #require(try await transport.get(server.url + target).metrics))
    }

    #expect(metrics.map(\.connections) == [1, 0, 0])
    #expect(metrics.map(\.isReused) == [false, true, true])
    #expect(
      metrics[0].headBytesReceived == metrics[1].headBytesReceived + "X-A: some more bytes\r\n".utf8.count)
    #expect(metrics[2].bytesSent == metrics[1].bytesSent + 5)
    #expect(metrics.allSatisfy { $0.httpVersion == "1.1" && $0.serverAddress == "127.0.0.1" })
  }

  @Test func transferThatIsCancelledBeforeItBeginsReportsNoTraffic() async throws {
    let server = try ScriptedServer { _ in [.response("hello")] }
    defer { server.stop() }
    let (transport, url) = (CurlTransport(), server.url + "/")
    let second = Recorder()
    // On the transport's own thread, so that libcurl has no chance to begin the second transfer.
    let first = Recorder(onEnd: { try? transport.start(url, receiver: second).cancel() })

    try transport.start(url, receiver: first)

    #expect(await first.end().metrics?.connections == 1)
    let metrics = try #require(await second.end().failureMetrics)
    #expect(metrics.requests == 0 && metrics.connections == 0 && !metrics.isReused)
    #expect(metrics.headBytesReceived == 0 && metrics.bytesSent == 0)
    #expect(metrics.httpVersion == nil && metrics.serverAddress == nil && metrics.firstByte == 0)
  }
}
