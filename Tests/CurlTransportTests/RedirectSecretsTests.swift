import FoundationEssentials
import Testing
import VitrineCurlTransport
import VitrineLoading

@Suite("No secret follows a redirect to another origin, in any form of its URL", .timeLimit(.minutes(5)))
struct RedirectSecretsTests {
  /// The target of a redirect from `http://localhost:A/`; `A` and `B` stand for ports.
  struct Form: CustomTestStringConvertible {
    let testDescription: String
    let location: String
    var status = 302
    /// True if the redirect leads back to the same server, under the same or another name.
    var comesBack = false

    init(_ name: String, _ location: String, status: Int = 302, comesBack: Bool = false) {
      (testDescription, self.location, self.status, self.comesBack) = (name, location, status, comesBack)
    }
  }

  private static let forms =
    [
      Form("other host and port", "http://127.0.0.1:B/x"),
      Form("other host, same port", "http://127.0.0.1:A/x", comesBack: true),
      Form("scheme-relative", "//127.0.0.1:A/x", comesBack: true),
      Form("scheme-relative with another port", "//127.0.0.1:B/x"),
      Form("user and password in it", "http://evil:x@127.0.0.1:B/x"),
      Form("the old origin as user and password", "http://localhost:A@127.0.0.1:B/x"),
      Form("scheme and host in capitals", "HTTP://LOCALHOST.:B/x"),
      Form("dot at the end of the host", "http://localhost.:A/x", comesBack: true),
      Form("address as one number", "http://2130706433:B/x"),
      Form("address with two parts", "http://127.1:B/x"),
      Form("address in IPv6", "http://[::ffff:127.0.0.1]:B/x"),
      Form("percent-encoded host", "http://%31%32%37.0.0.1:B/x"),
      Form("other name of the host", "http://ip6-localhost:B/x"),
      Form("three slashes", "http:///127.0.0.1:B/x"),
      Form("backslashes", "\\\\127.0.0.1:B\\x", comesBack: true),
    ] + [301, 303, 307, 308].map { Form("status \($0)", "http://127.0.0.1:B/x", status: $0) }

  /// The header fields of the first request; `s3cret` must not reach another origin.
  private static let secrets: HTTPHeaders = [
    "Authorization": "s3cret", "Cookie": "own=s3cret", "X-Api-Key": "s3cret", "Referer": "http://s3cret/",
    "Proxy-Authorization": "s3cret", "Accept": "image/*", "Range": "bytes=1-", "Host": "s3cret.example",
  ]

  @Test(arguments: forms)
  func redirectLeaksNoSecret(form: Form) async throws {
    let other = try ScriptedServer { _ in [.response("hello")] }
    defer { other.stop() }
    let server = try redirecting(to: form, other: other.port)
    defer { server.stop() }
    let transport = CurlTransport(configuration: .init(cookies: CookieJar()))

    let calls = try await transport.get(
      "http://user:s3cret@localhost:\(server.port)/first", headers: Self.secrets,
      timeouts: .init(connect: 2))

    let first = try #require(server.requests.first)
    #expect(first.authorization == "s3cret" && first.value(of: "x-api-key") == "s3cret")
    // At its own origin a request keeps its headers: backslashes are part of a path.
    let isSameOrigin = form.testDescription == "backslashes"
    let reached = other.requests + server.requests.dropFirst()
    for request in reached where !isSameOrigin {
      #expect(!request.head.contains("s3cret"), "\(request.head)")
      #expect(
        request.fields.allSatisfy { Self.harmless.contains($0.prefix { $0 != ":" }) }, "\(request.head)")
    }
    // The transfer may also fail because this machine does not resolve the name.
    #expect(reached.count == 1 || calls.error != nil, "\(String(describing: calls.error))")
    #expect(form.comesBack == !server.requests.dropFirst().isEmpty || calls.error != nil)
  }

  @Test func sameOriginInDifferentCaseKeepsAllHeaders() async throws {
    let server = try redirecting(to: Form("", "HTTP://user:x@LOCALHOST:A/x"), other: 1)
    defer { server.stop() }

    let calls = try await CurlTransport().get(
      "http://localhost:\(server.port)/first", headers: ["X-Api-Key": "1", "Authorization": "2"])

    #expect(calls.text == "hello")
    #expect(server.requests.map { $0.value(of: "x-api-key") } == ["1", "1"])
    #expect(server.requests.map(\.authorization) == ["2", "2"])
  }

  @Test func droppedSecretsAreNotRestoredOnReturn() async throws {
    let serverBox = ScriptedServerBox()
    let other = try ScriptedServer { _ in
      [.response("", status: "302 Found", fields: ["Location: \(serverBox.url)/back"])]
    }
    defer { other.stop() }
    let server = try redirecting(to: Form("", "http://127.0.0.1:B/"), other: other.port)
    defer { server.stop() }
    serverBox.set("http://localhost:\(server.port)")

    let calls = try await CurlTransport().get(
      "http://user:s3cret@localhost:\(server.port)/first", headers: ["X-Api-Key": "s3cret"])

    #expect(calls.text == "hello")
    #expect(server.requests.map { $0.head.contains("s3cret") } == [true, false])
    #expect(other.requests.map { $0.head.contains("s3cret") } == [false])
    #expect(server.requests.last?.authorization == nil)
  }

  @Test func credentialsStayWithTheirOriginsAndApplyAgainOnReturn() async throws {
    let serverBox = ScriptedServerBox()
    let other = try ScriptedServer { _ in
      [.response("", status: "302 Found", fields: ["Location: \(serverBox.url)/back"])]
    }
    defer { other.stop() }
    let server = try redirecting(to: Form("", "http://127.0.0.1:B/"), other: other.port)
    defer { server.stop() }
    serverBox.set("http://localhost:\(server.port)")
    let transport = CurlTransport(
      configuration: .init(credentials: [
        .bearer("one", origin: try #require(URL(string: serverBox.url))),
        .basic(user: "two", password: "", origin: try #require(URL(string: other.url))),
      ]))

    _ = try await transport.get(serverBox.url + "/first")

    #expect(server.requests.map(\.authorization) == ["Bearer one", "Bearer one"])
    #expect(other.requests.map(\.authorization) == ["Basic dHdvOg=="])
  }

  @Test(
    "a redirect from http to https on another host carries no secret",
    .enabled(if: TLSServer.isAvailable, "needs nginx and openssl"))
  func redirectFromHTTPToHTTPSCarriesNoSecret() async throws {
    let tls = try TLSServer()
    let server = try redirecting(to: Form("", "https://localhost:B/echo"), other: tls.port)
    defer { server.stop() }
    let transport = CurlTransport(
      configuration: .init(
        trust: .init(certificateAuthorities: tls.certificate),
        credentials: [.bearer("s3cret", origin: try #require(URL(string: server.url)))],
        cookies: CookieJar()))
    var headers = Self.secrets
    headers["Authorization"] = nil
    headers["Cookie"] = nil

    let calls = try await transport.get(server.url + "/first", headers: headers)

    #expect(server.requests.map(\.authorization) == ["Bearer s3cret"])
    #expect(calls.text == "authorization= cookie= key= referer= range= agent=Vitrine")
  }

  @Test(arguments: [
    "file:///etc/hostname", "data:,x", "ftp://127.0.0.1:B/x", "http+unix://x/", "ws://127.0.0.1:B",
  ])
  func redirectToAnotherSchemeIsRefused(location: String) async throws {
    let other = try ScriptedServer { _ in [.response("hello")] }
    defer { other.stop() }
    let server = try redirecting(to: Form("", location), other: other.port)
    defer { server.stop() }

    let calls = try await CurlTransport().get(server.url + "/first", headers: Self.secrets)

    #expect(calls.error == .redirectRefused(.scheme(String(location.prefix { $0 != ":" }))))
    #expect(other.connectionCount == 0 && calls.body.isEmpty)
  }

  private static let harmless: Set<Substring> = ["host", "accept", "accept-encoding", "user-agent"]

  /// Returns a server that answers `/first` with the redirect and a cookie, and other paths with `hello`.
  private func redirecting(to form: Form, other: UInt16) throws -> ScriptedServer {
    let serverBox = ScriptedServerBox()
    let server = try ScriptedServer { request in
      guard request.target == "/first" else { return [.response("hello")] }
      let location = form.location
        .replacing(":A", with: ":\(serverBox.url)").replacing(":B", with: ":\(other)")
      return [
        .response(
          "", status: "\(form.status) Moved",
          fields: ["Location: \(location)", "Set-Cookie: jar=s3cret; Path=/"])
      ]
    }
    serverBox.set("\(server.port)")
    return server
  }
}
