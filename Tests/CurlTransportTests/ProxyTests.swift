import FoundationEssentials
import Testing
import VitrineCurlTransport
import VitrineLoading

@Suite("Transfers use a proxy, and its failures have their own error", .timeLimit(.minutes(5)))
struct ProxyTests {
  @Test func proxyLoginIsSentOnlyToTheProxy() async throws {
    let proxy = try ScriptedServer { _ in [.response("from the proxy")] }
    defer { proxy.stop() }
    let server = try ScriptedServer { _ in [.response("direct")] }
    defer { server.stop() }
    let transport = CurlTransport(
      configuration: .init(proxy: .url("http://user:pass@127.0.0.1:\(proxy.port)")))

    let proxied = try await transport.get("http://pictures.invalid/a", headers: ["Authorization": "own"])
    let direct = try await transport.get(server.url)

    #expect(proxied.text == "from the proxy" && direct.text == "direct")
    #expect(proxy.requests.map { $0.value(of: "proxy-authorization") } == ["Basic dXNlcjpwYXNz"])
    #expect(proxy.requests.map(\.authorization) == ["own"])
    #expect(server.requests.map { $0.value(of: "proxy-authorization") } == [nil])
  }

  @Test func tunnelRequestOmitsTheSecretsOfTheRequest() async throws {
    let proxy = try ScriptedServer { _ in [.response("", status: "403 Forbidden")] }
    defer { proxy.stop() }
    let url = try #require(URL(string: "https://pictures.invalid/"))
    let transport = CurlTransport(
      configuration: .init(
        proxy: .url(proxy.url),
        credentials: [.basic(user: "u", password: "p", origin: url)], cookies: CookieJar()))

    let calls = try await transport.get(
      "https://pictures.invalid/s3cret", headers: ["Cookie": "s3cret", "X-Api-Key": "s3cret"])

    guard case .proxyFailed(403, _) = calls.error else {
      Issue.record("\(String(describing: calls.error))")
      return
    }
    let request = try #require(proxy.requests.first)
    #expect(request.head.hasPrefix("CONNECT pictures.invalid:443 ") && !request.head.contains("s3cret"))
    #expect(request.authorization == nil && request.value(of: "proxy-authorization") == nil)
    #expect(calls.responses.isEmpty && calls.failureMetrics?.requests == 0)
  }

  @Test(arguments: ["http", "https"])
  func missingProxyLoginFailsWithAProxyError(scheme: String) async throws {
    let proxy = try ScriptedServer { _ in
      [.response("no", status: "407 No", fields: ["Proxy-Authenticate: Basic realm=\"x\""])]
    }
    defer { proxy.stop() }

    let calls = try await CurlTransport(configuration: .init(proxy: .url(proxy.url)))
      .get("\(scheme)://pictures.invalid/")

    guard case .proxyFailed(407, _) = calls.error else {
      Issue.record("\(String(describing: calls.error))")
      return
    }
    #expect(proxy.requests.count == 1 && calls.body.isEmpty)
  }

  @Test(arguments: [
    ("http://127.0.0.1:1", "http"), ("http://127.0.0.1:1", "https"), ("socks5h://127.0.0.1:1", "http"),
    ("nonsense://127.0.0.1:1", "http"), ("http://proxy.invalid:1", "https"), ("http://", "http"),
  ])
  func unreachableProxyFailsWithAProxyError(proxy: String, scheme: String) async throws {
    let calls = try await CurlTransport(configuration: .init(proxy: .url(proxy)))
      .get("\(scheme)://pictures.invalid/", timeouts: .init(connect: 60))

    guard case .proxyFailed(nil, let message) = calls.error else {
      Issue.record("\(String(describing: calls.error))")
      return
    }
    #expect(!message.isEmpty)
  }

  @Test(arguments: ["http", "nonsense", "socks5h"])
  func proxyErrorOmitsThePassword(scheme: String) async throws {
    for host in ["127.0.0.1:1", "a b", "[", "127.0.0.1:99999"] {
      let proxy = "\(scheme)://kiosk:s3cret@\(host)"

      let calls = try await CurlTransport(configuration: .init(proxy: .url(proxy))).get(
        "http://pictures.invalid/")

      guard case .proxyFailed(nil, let message) = calls.error else {
        Issue.record("\(String(describing: calls.error))")
        return
      }
      #expect(!message.contains("s3cret"))
    }
  }

  @Test func proxyLoginIsPercentDecoded() async throws {
    let proxy = try ScriptedServer { _ in [.response("from the proxy")] }
    defer { proxy.stop() }
    let transport = CurlTransport(
      configuration: .init(proxy: .url("us%40er:p%3Ass%2F@127.0.0.1:\(proxy.port)")))

    _ = try await transport.get("http://pictures.invalid/a")

    let login = Data("us@er:p:ss/".utf8).base64EncodedString()
    #expect(proxy.requests.map { $0.value(of: "proxy-authorization") } == ["Basic \(login)"])
  }

  @Test func socksProxyResolvesTheHostName() async throws {
    // The replies that accept the client and the connection, sent in advance (RFC 1928, 3 and 6).
    let yes = "\u{5}\u{0}" + "\u{5}\u{0}\u{0}\u{1}" + String(repeating: "\u{0}", count: 6)
    let proxy = try ScriptedServer(greeting: yes) { _ in [.response("from the proxy")] }
    defer { proxy.stop() }
    let transport = CurlTransport(configuration: .init(proxy: .url("socks5h://127.0.0.1:\(proxy.port)")))

    let calls = try await transport.get("http://pictures.invalid/a")

    #expect(calls.text == "from the proxy")
    let parts = try #require(proxy.requests.first?.head.split(separator: "GET /a"))
    #expect(parts.count == 2 && parts[0].contains("pictures.invalid"))
  }

  @Test func proxyThatRefusesTheConnectionFailsWithAProxyError() async throws {
    // The proxy selects a method that the client has not offered (RFC 1928, 3).
    let proxy = try ScriptedServer(greeting: "\u{5}\u{7F}") { _ in [] }
    defer { proxy.stop() }
    let closing = try ScriptedServer { _ in [.close] }
    defer { closing.stop() }

    let socks = try await CurlTransport(
      configuration: .init(proxy: .url("socks5h://127.0.0.1:\(proxy.port)"))
    ).get("http://pictures.invalid/")
    let tunnel = try await CurlTransport(configuration: .init(proxy: .url(closing.url)))
      .get("https://pictures.invalid/")

    for error in [socks.error, tunnel.error] {
      guard case .proxyFailed(nil, _) = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
    }
  }

  @Test(arguments: ["http", "https"])
  func silentProxyTimesOut(scheme: String) async throws {
    let proxy = try ScriptedServer { _ in [.hold] }
    defer { proxy.stop() }
    let transport = CurlTransport(configuration: .init(proxy: .url(proxy.url)))

    // The tunnel for HTTPS belongs to the connection.
    let limit: ImageError.TimeLimit = scheme == "http" ? .stall(seconds: 0.3) : .connect(seconds: 0.2)
    let calls = try await transport.get(
      "\(scheme)://pictures.invalid/",
      timeouts: scheme == "http" ? .init(stall: 0.3) : .init(connect: 0.2))

    #expect(calls.error == .timedOut(limit))
  }

  @Test func unreachableLoopbackServerIsNotAProxyFailure() async throws {
    let calls = try await CurlTransport(configuration: .init(proxy: .url("http://127.0.0.1:2")))
      .get("http://127.0.0.1:1/")

    #expect(calls.failure == .cannotConnect)
  }
}

@Suite(
  "Transfers go through a real proxy", .timeLimit(.minutes(5)),
  .enabled(if: TLSServer.isAvailable && TinyProxy.isAvailable, "needs tinyproxy, nginx and openssl"))
struct RealProxyTests {
  @Test func plainAndEncryptedTransfersUseTheProxy() async throws {
    let (proxy, tls) = (try TinyProxy(), try server())
    let server = try ScriptedServer { _ in [.response("hello")] }
    defer { server.stop() }
    let transport = transport(proxy.url(), tls)

    let plain = try await transport.get(server.url, headers: ["X-A": "1"])
    let encrypted = try await transport.get(tls.url)

    #expect(plain.text == "hello" && encrypted.text == "hello")
    #expect(encrypted.metrics?.httpVersion == "2")
    #expect(server.requests.map { $0.value(of: "x-a") } == ["1"])
    #expect(server.requests.map { $0.value(of: "proxy-authorization") } == [nil])
    #expect(try proxy.log.contains("CONNECT 127.0.0.1:\(tls.port)"))
  }

  @Test func transfersShareOneTunnel() async throws {
    let (proxy, tls) = (try TinyProxy(), try server())
    let transport = transport(proxy.url(), tls)
    let recorders = (0..<20).map { _ in Recorder() }

    for recorder in recorders { try transport.start(tls.url, receiver: recorder) }
    var connections = 0
    for recorder in recorders { connections += await recorder.end().metrics?.connections ?? 100 }

    #expect(connections == 1)
  }

  @Test(arguments: [("wrong", 401), (nil, 407)])
  func proxyRefusesAWrongOrMissingPassword(password: String?, status: Int) async throws {
    let (proxy, tls) = (try TinyProxy(), try server())
    let server = try ScriptedServer { _ in [.response("hello")] }
    defer { server.stop() }

    let encrypted = try await transport(proxy.url(password: password), tls).get(tls.url)
    let plain = try await transport(proxy.url(password: password), tls).get(server.url)

    guard case .proxyFailed(status, _) = encrypted.error else {
      Issue.record("\(String(describing: encrypted.error))")
      return
    }
    // tinyproxy responds to a wrong password with the status of a server, 401.
    #expect(plain.error != nil && plain.responses.map(\.status) == [status])
    #expect(server.connectionCount == 0)
  }

  @Test func serverBehindAProxyNeedsATrustedCertificate() async throws {
    let (proxy, tls) = (try TinyProxy(), try server())

    let calls = try await CurlTransport(
      configuration: .init(proxy: .url(proxy.url(), exceptions: []))
    ).get(tls.url)

    #expect(calls.isUntrusted(for: "self-signed certificate"), "\(String(describing: calls.error))")
  }

  @Test func proxyThatCannotReachTheServerFailsWithAProxyError() async throws {
    let (proxy, tls) = (try TinyProxy(), try server())
    let transport = transport(proxy.url(), tls)
    tls.stop()

    let failed = try await transport.get(tls.url)
    try tls.start()
    let next = try await transport.get(tls.url)

    guard case .proxyFailed(500, _) = failed.error else {
      Issue.record("\(String(describing: failed.error))")
      return
    }
    #expect(next.text == "hello")
  }

  /// Uses an address because a proxy resolves names through the system, which may fail without a network.
  private func server() throws -> TLSServer { try TLSServer(host: "127.0.0.1") }

  private func transport(_ proxy: String, _ tls: TLSServer) -> CurlTransport {
    CurlTransport(
      configuration: .init(
        trust: .init(certificateAuthorities: tls.certificate), proxy: .url(proxy, exceptions: [])))
  }
}
