import FoundationEssentials
import Testing
import VitrineCurlTransport
import VitrineLoading

@Suite("A transfer reports its metrics", .timeLimit(.minutes(5)))
struct MetricsTests {
  @Test("AF-S8 SD-D26 times, sizes, protocol and address are reported at the end")
  func metricsAreReportedAtTheEnd() async throws {
    let server = try ScriptedServer { request in
      request.target == "/"
        ? [.response("away", status: "302 Found", fields: ["Location: /two", "Connection: close"]), .close]
        : [.response("hello")]
    }
    defer { server.stop() }

    let calls = try await CurlTransport().get(server.url, headers: ["X-A": "1"])

    let metrics = try #require(calls.metrics)
    #expect(metrics.bytesReceived == 5)
    #expect(metrics.headBytesReceived == "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n".utf8.count)
    #expect(metrics.bytesSent == server.requests.last?.head.utf8.count)
    #expect(metrics.requests == 2 && metrics.redirects == 1 && metrics.connections == 2)
    #expect(metrics.httpVersion == "1.1" && metrics.serverAddress == "127.0.0.1")
    #expect(metrics.nameLookup <= metrics.connect && metrics.connect <= metrics.firstByte)
    #expect(metrics.firstByte > 0 && metrics.firstByte <= metrics.total && metrics.tls == 0)
  }

  @Test func failedConnectionReportsNoTrafficMetrics() async throws {
    let server = try ScriptedServer { _ in [] }
    server.stop()

    let metrics = try #require(try await CurlTransport().get(server.url).failureMetrics)

    #expect(metrics.httpVersion == nil && metrics.headBytesReceived == 0 && metrics.bytesSent == 0)
    #expect(metrics.requests == 0 && metrics.bytesReceived == 0)
  }

  @Test func http10IsReportedAsTheProtocolVersion() async throws {
    let server = try ScriptedServer { _ in [.send("HTTP/1.0 200 OK\r\n\r\nhello"), .close] }
    defer { server.stop() }

    let calls = try await CurlTransport().get(server.url)

    #expect(calls.text == "hello" && calls.metrics?.httpVersion == "1.0")
  }
}
