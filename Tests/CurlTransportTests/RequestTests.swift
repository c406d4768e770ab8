import FoundationEssentials
import Testing
import VitrineCurlTransport
import VitrineLoading

@Suite("A request sends what it was given", .timeLimit(.minutes(5)))
struct RequestTests {
  @Test func headersAreSentAsGiven() async throws {
    let server = try ScriptedServer { _ in [.response("")] }
    defer { server.stop() }
    var headers: HTTPHeaders = ["Accept": "image/webp", "X-Empty": ""]
    headers.append(name: "X-Twice", value: "1")
    headers.append(name: "X-Twice", value: "2")

    _ = try await CurlTransport().get(server.url, headers: headers)

    #expect(
      server.requests.first?.fields == [
        "host: 127.0.0.1:\(server.port)", "accept: image/webp", "x-empty:", "x-twice: 1", "x-twice: 2",
        "user-agent: Vitrine", "accept-encoding: identity",
      ])
  }

  @Test func userAgentOfARequestOverridesTheConfiguredOne() async throws {
    let server = try ScriptedServer { _ in [.response("")] }
    defer { server.stop() }
    let transport = CurlTransport(configuration: .init(userAgent: "Kiosk/1"))

    _ = try await transport.get(server.url)
    _ = try await transport.get(server.url, headers: ["user-agent": "Panel/2"])
    _ = try await CurlTransport(configuration: .init(userAgent: "")).get(server.url)

    let agents = server.requests.map { $0.fields.filter { $0.hasPrefix("user-agent") } }
    #expect(agents == [["user-agent: Kiosk/1"], ["user-agent: Panel/2"], []])
  }

  @Test(arguments: [("A", "1\r\nEvil: 1"), ("A", "1\u{0}"), ("A B", "1"), ("", "1"), ("A\n", "1")])
  func headerWithInvalidCharactersIsNotSent(name: String, value: String) async throws {
    let server = try ScriptedServer { _ in [.response("")] }
    defer { server.stop() }

    let calls = try await CurlTransport().get(
      server.url, headers: HTTPHeaders([HTTPHeaders.Field(name: name, value: value)]))

    #expect(calls.failure == .invalidRequest)
    #expect(server.connectionCount == 0)
  }

  @Test func userAgentWithALineBreakIsNotSent() async throws {
    let server = try ScriptedServer { _ in [.response("")] }
    defer { server.stop() }

    let calls = try await CurlTransport(configuration: .init(userAgent: "a\r\nEvil: 1")).get(server.url)

    #expect(calls.failure == .invalidRequest)
    #expect(server.connectionCount == 0)
  }

  @Test(arguments: [
    ("ftp://127.0.0.1/a", ImageError.unsupportedScheme("ftp")),
    ("file:///etc/hosts", .unsupportedScheme("file")),
    ("FILE:///etc/hosts", .unsupportedScheme("file")), ("a.jpg", .invalidURL("a.jpg")),
    ("http:a.jpg", .invalidURL("http:a.jpg")),
    ("http://127.0.0.1:99999/", .invalidURL("http://127.0.0.1:99999/")),
  ])
  func urlThatIsNotHTTPIsRefused(url: String, error: ImageError) async throws {
    let calls = try await CurlTransport().get(url)

    #expect(calls.error == error)
  }

  @Test func loginInAURLIsSentOnlyToItsOrigin() async throws {
    let other = try ScriptedServer { _ in [.response("")] }
    defer { other.stop() }
    let otherURL = other.url + "/away"
    let server = try ScriptedServer { request in
      let location = request.target == "/one" ? "/two" : otherURL
      return [.response("", status: "302 Found", fields: ["Location: \(location)"])]
    }
    defer { server.stop() }

    _ = try await CurlTransport().get("http://user:pass@127.0.0.1:\(server.port)/one")

    let login = "authorization: Basic dXNlcjpwYXNz"
    #expect(server.requests.map { $0.fields.contains(login) } == [true, true])
    #expect(other.requests.map { $0.fields.contains { $0.hasPrefix("authorization") } } == [false])
  }

  @Test func cookiesAreNotKeptByDefault() async throws {
    let server = try ScriptedServer { _ in [.response("", fields: ["Set-Cookie: a=b; Path=/"])] }
    defer { server.stop() }
    let transport = CurlTransport()

    _ = try await transport.get(server.url)
    _ = try await transport.get(server.url)

    #expect(server.requests.count == 2)
    #expect(server.requests.allSatisfy { !$0.fields.contains { $0.hasPrefix("cookie") } })
  }

  @Test func proxyIsUsedExceptForLoopback() async throws {
    let proxy = try ScriptedServer { _ in [.response("from the proxy")] }
    defer { proxy.stop() }
    let server = try ScriptedServer { _ in [.response("direct")] }
    defer { server.stop() }
    let transport = CurlTransport(configuration: .init(proxy: .url(proxy.url)))

    let proxied = try await transport.get("http://pictures.invalid/a.jpg")
    let direct = try await transport.get(server.url)
    let localhost = try await transport.get("http://localhost:\(server.port)/")

    #expect(proxied.text == "from the proxy")
    #expect(direct.text == "direct" && localhost.text == "direct")
    #expect(proxy.requests.map(\.target) == ["http://pictures.invalid/a.jpg"])
  }
}
