import FoundationEssentials
import Testing
import VitrineCurlTransport
import VitrineLoading

@Suite("A redirect is followed, hop by hop", .timeLimit(.minutes(5)))
struct RedirectTests {
  @Test func onlyTheFinalResponseIsReported() async throws {
    let server = try ScriptedServer { request in
      switch request.target {
      case "/a/one": [.response("not this", status: "301 Moved", fields: ["Location: two"])]
      case "/a/two": [.response("nor this", status: "307 Moved", fields: ["Location: /three?x#y"])]
      default: [.response("this", fields: ["X-Target: \(request.target)"])]
      }
    }
    defer { server.stop() }

    let calls = try await CurlTransport().get(server.url + "/a/one")

    #expect(calls.responses.map(\.url) == [URL(string: server.url + "/three?x#y")])
    #expect(calls.responses.first?.headers["X-Target"] == "/three?x")
    #expect(calls.text == "this")
    #expect(calls.metrics?.requests == 3 && calls.metrics?.bytesReceived == 4)
    #expect(calls.metrics?.connections == 1 && server.connectionCount == 1)
    #expect(calls.metrics?.isReused == true)
  }

  @Test func secretsDoNotFollowToAnotherOrigin() async throws {
    let other = try ScriptedServer { _ in [.response("hello")] }
    defer { other.stop() }
    let target = other.url
    let server = try ScriptedServer { _ in
      [.response("", status: "302 Found", fields: ["Location: \(target)"])]
    }
    defer { server.stop() }

    let calls = try await CurlTransport().get(
      server.url, headers: ["X-Api-Key": "1", "Authorization": "2", "Cookie": "3", "Accept": "image/*"])

    #expect(server.requests.first?.fields.contains("x-api-key: 1") == true)
    #expect(
      other.requests.first?.fields == [
        "host: 127.0.0.1:\(other.port)", "accept: image/*", "user-agent: Vitrine",
        "accept-encoding: identity",
      ])
    #expect(calls.metrics?.connections == 2)
    #expect(calls.metrics?.isReused == false)
  }

  @Test func redirectLoopEndsAtTheLimit() async throws {
    let server = try ScriptedServer { _ in [.response("", status: "302 Found", fields: ["Location: /"])] }
    defer { server.stop() }

    let calls = try await CurlTransport().get(server.url)

    #expect(calls.error == .redirectRefused(.tooMany(limit: 5)))
    #expect(calls.responses.isEmpty)
    #expect(server.requests.count == 6)
    #expect(calls.failureMetrics?.requests == 6)
  }

  @Test(arguments: [
    ("ftp://127.0.0.1/a", ImageError.RedirectRefusal.scheme("ftp")), ("file:///etc/passwd", .scheme("file")),
    ("http://[", .badLocation("http://[")), ("", .badLocation("")),
  ])
  func refusedRedirectHasATypedError(location: String, reason: ImageError.RedirectRefusal) async throws {
    let server = try ScriptedServer { _ in
      [.response("", status: "302 Found", fields: ["Location: \(location)"])]
    }
    defer { server.stop() }

    let calls = try await CurlTransport().get(server.url)

    #expect(calls.error == .redirectRefused(reason))
    #expect(calls.responses.isEmpty)
    #expect(server.requests.count == 1)
  }

  @Test func longBodyOfARedirectIsNotReadCompletely() async throws {
    let server = try ScriptedServer { request in
      guard request.target == "/" else { return [.response("hello")] }
      return [
        .send("HTTP/1.1 302 Found\r\nLocation: /two\r\n\r\n" + String(repeating: "x", count: 40_000)), .hold,
      ]
    }
    defer { server.stop() }

    let calls = try await CurlTransport().get(server.url)

    #expect(calls.text == "hello")
  }

  @Test func totalTimeoutSpansAllHops() async throws {
    let server = try ScriptedServer { request in
      request.target == "/"
        ? [.response("", status: "302 Found", fields: ["Location: /two"])] : [.hold]
    }
    defer { server.stop() }

    let calls = try await CurlTransport().get(server.url, timeouts: .init(total: 2))

    #expect(calls.error == .timedOut(.total(seconds: 2)))
    #expect(server.requests.map(\.target) == ["/", "/two"])
  }
}
