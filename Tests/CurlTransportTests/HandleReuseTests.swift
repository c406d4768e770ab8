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
