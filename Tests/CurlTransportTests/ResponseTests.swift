import FoundationEssentials
import Testing
import VitrineCurlTransport
import VitrineLoading

@Suite("A response is delivered as it arrives", .timeLimit(.minutes(5)))
struct ResponseTests {
  @Test("SD-D13 SD-D26 a transport works on its own: it delivers response, bytes and end, and the metrics")
  func transportDeliversResponseThenBytesThenEnd() async throws {
    let server = try ScriptedServer { _ in [.response("hello", fields: ["ETag: \"1\"", "ETag: \"2\""])] }
    defer { server.stop() }

    let calls = try await CurlTransport().get(server.url + "/a.jpg?b=c")

    let response = try #require(calls.responses.first)
    #expect(response.url == URL(string: server.url + "/a.jpg?b=c"))
    #expect(response.status == 200)
    #expect(response.expectedLength == 5)
    #expect(response.headers.fields.map(\.value) == ["5", "\"1\"", "\"2\""])
    #expect(calls.text == "hello")
    let metrics = try #require(calls.metrics)
    #expect(metrics.bytesReceived == 5 && metrics.requests == 1 && metrics.connections == 1)
    #expect(metrics.connect <= metrics.firstByte && metrics.firstByte <= metrics.total)
    #expect(metrics.total > 0 && metrics.tls == 0)
    #expect(server.requests.map(\.target) == ["/a.jpg?b=c"])
  }

  @Test(arguments: ["HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"])
  func emptyBodySucceedsWithZeroBytes(response: String) async throws {
    let server = try ScriptedServer { _ in [.send(response)] }
    defer { server.stop() }

    let calls = try await CurlTransport().get(server.url)

    #expect(calls.responses.count == 1 && calls.body.isEmpty)
    #expect(calls.metrics?.bytesReceived == 0)
  }

  @Test func bodyWithoutALengthEndsWithItsConnection() async throws {
    let server = try ScriptedServer { _ in [.send("HTTP/1.0 200 OK\r\n\r\nhello"), .close] }
    defer { server.stop() }

    let calls = try await CurlTransport().get(server.url)

    #expect(calls.responses.first?.expectedLength == nil)
    #expect(calls.text == "hello" && calls.metrics != nil)
  }

  @Test func chunksAreJoinedAndTrailersIgnored() async throws {
    let response =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\nX-Late: 1\r\n\r\n"
    let server = try ScriptedServer { _ in [.send(response)] }
    defer { server.stop() }

    let calls = try await CurlTransport().get(server.url)

    #expect(calls.text == "hello" && calls.metrics != nil)
    #expect(calls.responses.map(\.headers) == [["Transfer-Encoding": "chunked"]])
  }

  @Test(arguments: ["gzip", "gzip, chunked", "chunked, deflate", "Br"])
  func unrequestedTransferCodingIsRefused(coding: String) async throws {
    let server = try ScriptedServer { _ in
      [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: \(coding)\r\n\r\n0\r\n\r\n"), .close]
    }
    defer { server.stop() }

    let calls = try await CurlTransport().get(server.url)

    #expect(calls.failure == .unexpectedEncoding && calls.responses.isEmpty && calls.body.isEmpty)
  }

  @Test func interimResponsesAreNotReported() async throws {
    let server = try ScriptedServer { _ in
      [.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"), .response("hello")]
    }
    defer { server.stop() }

    let calls = try await CurlTransport().get(server.url)

    #expect(calls.responses.map(\.status) == [200])
    #expect(calls.text == "hello")
  }

  @Test(arguments: ["gzip", "GZIP", "identity, br", "x-gzip", "deflate", "zstd"])
  func unrequestedCompressionFails(coding: String) async throws {
    let server = try ScriptedServer { _ in [.response("hello", fields: ["Content-Encoding: \(coding)"])] }
    defer { server.stop() }

    let calls = try await CurlTransport().get(server.url)

    #expect(calls.failure == .unexpectedEncoding && calls.body.isEmpty)
    #expect(
      server.requests.first?.fields.filter { $0.hasPrefix("accept-encoding") } == [
        "accept-encoding: identity"
      ])
  }

  @Test(arguments: ["identity", "utf-8", "none", "binary", ""])
  func uncompressedBodyIsDelivered(coding: String) async throws {
    let server = try ScriptedServer { _ in [.response("hello", fields: ["Content-Encoding: \(coding)"])] }
    defer { server.stop() }

    #expect(try await CurlTransport().get(server.url).text == "hello")
  }

  @Test func requestedCompressionIsNotDecoded() async throws {
    let server = try ScriptedServer { _ in [.response("hello", fields: ["Content-Encoding: gzip"])] }
    defer { server.stop() }

    let calls = try await CurlTransport().get(server.url, headers: ["accept-encoding": "gzip"])

    #expect(calls.text == "hello")
    #expect(
      server.requests.first?.fields.filter { $0.hasPrefix("accept-encoding") } == ["accept-encoding: gzip"])
  }

  @Test(arguments: [("304 Not Modified", 304), ("404 Not Found", 404), ("410 Gone", 410), ("503 Busy", 503)])
  func unsuccessfulStatusIsReportedBeforeTheFailure(line: String, status: Int) async throws {
    let server = try ScriptedServer { _ in
      [.send("HTTP/1.1 \(line)\r\nETag: 1\r\nContent-Length: 5\r\n\r\n" + (status == 304 ? "" : "sorry"))]
    }
    defer { server.stop() }
    let transport = CurlTransport()

    let calls = try await transport.get(server.url)
    _ = try await transport.get(server.url)

    #expect(calls.responses.first?.status == status)
    #expect(calls.responses.first?.headers["ETag"] == "1")
    #expect(calls.body.isEmpty)
    #expect(calls.error == .status(status))
    #expect(server.connectionCount == 1)
  }

  @Test func longBodyOfAnErrorResponseIsNotReadCompletely() async throws {
    let server = try ScriptedServer { _ in
      [.send("HTTP/1.1 500 Oh\r\n\r\n" + String(repeating: "x", count: 40_000)), .hold]
    }
    defer { server.stop() }

    let calls = try await CurlTransport().get(server.url)

    #expect(calls.error == .status(500))
    #expect(calls.body.isEmpty)
  }

  @Test func bytesThatAreNotHTTPFail() async throws {
    let server = try ScriptedServer { _ in [.send("SSH-2.0-OpenSSH_9.2\r\n"), .close] }
    defer { server.stop() }

    let calls = try await CurlTransport().get(server.url)

    #expect(calls.responses.isEmpty)
    #expect(calls.error == .transport(.unsupported, message: "Received HTTP/0.9 when not allowed (curl 1)"))
  }
}
