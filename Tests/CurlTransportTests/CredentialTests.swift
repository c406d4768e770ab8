import FoundationEssentials
import Testing
import VitrineLoading

@testable import VitrineCurlTransport

@Suite("Credentials are sent only to their origin", .timeLimit(.minutes(5)))
struct CredentialTests {
  typealias Credential = CurlTransport.Credential

  @Test("AF-S21 SD-D8 user and password are sent with each request")
  func basicCredentialIsSent() async throws {
    let expected = "Basic dXNlcjpwYXNz"
    let server = try ScriptedServer { request in
      request.authorization == expected
        ? [.response("hello")]
        : [.response("", status: "401 Unauthorized", fields: ["WWW-Authenticate: Basic realm=\"x\""])]
    }
    defer { server.stop() }
    let origin = try url(server.url)
    let transport = CurlTransport(
      configuration: .init(credentials: [.basic(user: "user", password: "pass", origin: origin)]))

    let calls = [try await transport.get(server.url), try await transport.get(server.url + "/other")]
    let without = try await CurlTransport().get(server.url)
    let wrong = try await get(server.url, with: .basic(user: "user", password: "wrong", origin: origin))

    #expect(calls.map(\.text) == ["hello", "hello"])
    #expect(without.error == .status(401) && wrong.error == .status(401))
    #expect(server.requests.map(\.authorization) == [expected, expected, nil, "Basic dXNlcjp3cm9uZw=="])
  }

  @Test func bearerTokenIsSent() async throws {
    let server = try ScriptedServer { _ in [.response("hello")] }
    defer { server.stop() }

    _ = try await get(server.url + "/a", with: .bearer("t.0~k+n/=", origin: url(server.url + "/b?c#d")))

    #expect(server.requests.map(\.authorization) == ["Bearer t.0~k+n/="])
  }

  @Test(arguments: ["a\r\nEvil: 1", "a\u{0}"])
  func tokenWithControlCharactersIsNotSent(token: String) async throws {
    let server = try ScriptedServer { _ in [.response("hello")] }
    defer { server.stop() }

    let calls = try await get(server.url, with: .bearer(token, origin: url(server.url)))

    #expect(calls.failure == .invalidRequest && server.connectionCount == 0)
  }

  @Test(arguments: ["a\r\nEvil: 1", "a\u{0}b", "a\u{7F}"], [false, true])
  func loginWithControlCharactersIsNotSent(text: String, isPassword: Bool) async throws {
    let server = try ScriptedServer { _ in [.response("hello")] }
    defer { server.stop() }
    let (user, password) = isPassword ? ("u", text) : (text, "p")

    for secret in [Credential.basic, Credential.digest] {
      let calls = try await get(server.url, with: secret(user, password, url(server.url)))

      #expect(calls.failure == .invalidRequest)
    }
    #expect(server.connectionCount == 0)
  }

  @Test func otherPortSchemeOrHostReceivesNoCredential() async throws {
    let server = try ScriptedServer { _ in [.response("hello")] }
    defer { server.stop() }
    let others = [
      "http://127.0.0.1:1/", "https://127.0.0.1:\(server.port)/", "http://localhost:\(server.port)/",
      "ftp://127.0.0.1:\(server.port)/", "file:///",
    ]
    let credentials = try others.map { Credential.basic(user: "u", password: "p", origin: try url($0)) }

    _ = try await CurlTransport(configuration: .init(credentials: credentials)).get(server.url)

    #expect(server.requests.map(\.authorization) == [nil])
  }

  @Test func loginOfTheRequestOverridesTheCredential() async throws {
    let server = try ScriptedServer { _ in [.response("hello")] }
    defer { server.stop() }
    let transport = CurlTransport(
      configuration: .init(credentials: [.bearer("token", origin: try url(server.url))]))

    _ = try await transport.get(server.url, headers: ["authorization": "Own 1"])
    _ = try await transport.get("http://user:pass@127.0.0.1:\(server.port)/")
    _ = try await transport.get(server.url)

    #expect(server.requests.map(\.authorization) == ["Own 1", "Basic dXNlcjpwYXNz", "Bearer token"])
  }

  @Test func wrongPasswordFailsAfterOneAttempt() async throws {
    let server = try ScriptedServer { _ in
      [.response("no", status: "401 Unauthorized", fields: ["WWW-Authenticate: Basic realm=\"x\""])]
    }
    defer { server.stop() }

    let calls = try await get(server.url, with: .basic(user: "u", password: "p", origin: url(server.url)))

    #expect(calls.error == .status(401) && calls.responses.map(\.status) == [401])
    #expect(server.requests.count == 1 && calls.body.isEmpty)
  }

  @Test func credentialDescriptionOmitsItsSecret() throws {
    let origin = try url("https://Pictures.example/a?b")
    let credentials: [Credential] = [
      .basic(user: "user", password: "s3cret", origin: origin),
      .digest(user: "user", password: "s3cret", origin: origin), .bearer("s3cret", origin: origin),
    ]
    var dumped = ""
    dump(CurlTransport.Configuration(credentials: credentials), to: &dumped)

    #expect("\(credentials[1])" == "digest for https://pictures.example:443")
    #expect(!"\(credentials) \(String(reflecting: credentials)) \(dumped)".contains("s3cret"))
  }

  // MARK: Digest

  @Test func challengeReceivesADigest() async throws {
    let server = try ScriptedServer { request in
      request.authorization == nil ? [Self.challenge()] : [.response("hello")]
    }
    defer { server.stop() }

    let calls = try await get(server.url, with: .digest(user: "u", password: "p", origin: url(server.url)))

    #expect(calls.text == "hello" && calls.responses.map(\.status) == [200])
    #expect(calls.metrics?.requests == 2)
    let proof = try #require(server.requests.last?.authorization)
    #expect(proof.hasPrefix("Digest username=\"u\"") && proof.contains("nonce=\"n1\""))
  }

  @Test func wrongDigestFailsAfterOneAttempt() async throws {
    let server = try ScriptedServer { _ in [Self.challenge()] }
    defer { server.stop() }

    let calls = try await get(server.url, with: .digest(user: "u", password: "p", origin: url(server.url)))

    #expect(calls.error == .status(401) && calls.responses.map(\.status) == [401])
    #expect(server.requests.map { $0.authorization != nil } == [false, true])
    #expect(calls.failureMetrics?.requests == 2)
  }

  @Test func staleNonceReceivesANewDigest() async throws {
    let server = try ScriptedServer { request in
      switch request.number {
      case 0: [Self.challenge()]
      case 1: [Self.challenge("n2", ", stale=\"TRUE\"")]
      default: [.response("hello")]
      }
    }
    defer { server.stop() }

    let calls = try await get(server.url, with: .digest(user: "u", password: "p", origin: url(server.url)))

    #expect(calls.text == "hello" && calls.responses.map(\.status) == [200])
    #expect(server.requests.last?.authorization?.contains("nonce=\"n2\"") == true)
  }

  @Test func nonceThatIsAlwaysStaleFails() async throws {
    let server = try ScriptedServer { request in [Self.challenge("n\(request.number)", ", stale=true")] }
    defer { server.stop() }

    let calls = try await get(server.url, with: .digest(user: "u", password: "p", origin: url(server.url)))

    #expect(calls.error == .status(401) && calls.responses.map(\.status) == [401])
    #expect(server.requests.count <= 4)
  }

  @Test(arguments: [
    "Digest realm=\"x\", nonce=\"n\", algorithm=NONE", "Digest", "Basic realm=\"Digest\"", "Negotiate",
  ])
  func unsupportedChallengeFailsWithItsStatus(challenge: String) async throws {
    let server = try ScriptedServer { _ in
      [.response("no", status: "401 Unauthorized", fields: ["WWW-Authenticate: \(challenge)", "X-A: 1"])]
    }
    defer { server.stop() }

    let calls = try await get(server.url, with: .digest(user: "u", password: "p", origin: url(server.url)))

    #expect(calls.error == .status(401) && calls.body.isEmpty)
    #expect(calls.responses.map { $0.headers["X-A"] } == ["1"])
    #expect(server.requests.count == 1)
  }

  @Test(arguments: ["Content-Length: 100", "Transfer-Encoding: chunked"])
  func challengeWithAnEndlessBodyFailsWithItsStatus(framing: String) async throws {
    let server = try ScriptedServer { _ in
      [
        .send(
          "HTTP/1.1 401 No\r\nWWW-Authenticate: Digest realm=\"x\", nonce=\"n\"\r\n\(framing)\r\n\r\n"),
        .hold,
      ]
    }
    defer { server.stop() }

    let calls = try await get(server.url, with: .digest(user: "u", password: "p", origin: url(server.url)))

    #expect(calls.error == .status(401) && calls.responses.map(\.status) == [401])
  }

  @Test func missingResponseToADigestTimesOut() async throws {
    let server = try ScriptedServer { request in request.number == 0 ? [Self.challenge()] : [.hold] }
    defer { server.stop() }
    let transport = CurlTransport(
      configuration: .init(
        credentials: [.digest(user: "u", password: "p", origin: try url(server.url))]))

    let calls = try await transport.get(server.url, timeouts: .init(stall: 0.3))

    #expect(calls.error == .timedOut(.stall(seconds: 0.3)) && calls.responses.isEmpty)
  }

  @Test func redirectAfterADigestIsFollowed() async throws {
    let server = try ScriptedServer { request in
      if request.authorization == nil { return [Self.challenge()] }
      return request.target == "/two"
        ? [.response("hello")] : [.response("", status: "302 Found", fields: ["Location: /two"])]
    }
    defer { server.stop() }

    let calls = try await get(server.url, with: .digest(user: "u", password: "p", origin: url(server.url)))

    #expect(calls.text == "hello" && calls.metrics?.redirects == 1)
  }

  @Test(
    "AF-S21 SD-D8 a server that requires digests receives them",
    .enabled(if: DigestServer.isAvailable, "needs lighttpd"))
  func digestIsAcceptedByARealServer() async throws {
    let server = try DigestServer()
    let origin = try url(server.url)

    let right = try await get(
      server.url + "/one", with: .digest(user: "kiosk", password: "secret", origin: origin))
    let wrong = try await get(
      server.url + "/one", with: .digest(user: "kiosk", password: "wrong", origin: origin))
    let basic = try await get(
      server.url + "/one", with: .basic(user: "kiosk", password: "secret", origin: origin))

    #expect(right.text == "hello" && right.metrics?.requests == 2)
    #expect(wrong.error == .status(401) && wrong.failureMetrics?.requests == 2)
    #expect(basic.error == .status(401) && basic.failureMetrics?.requests == 1)
  }

  private static func challenge(_ nonce: String = "n1", _ more: String = "") -> ScriptedServer.Step {
    .response(
      "who are you?", status: "401 Unauthorized",
      fields: ["WWW-Authenticate: Digest realm=\"x\", qop=\"auth\", nonce=\"\(nonce)\"\(more)"])
  }

  private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

  private func get(_ url: String, with credential: Credential) async throws -> Recorder.Calls {
    try await CurlTransport(configuration: .init(credentials: [credential])).get(url)
  }
}

extension ScriptedServer.Request {
  /// The value of the Authorization field.
  var authorization: String? { value(of: "authorization") }

  /// The value of the first field with this lower-case name.
  func value(of name: String) -> String? {
    fields.first { $0.hasPrefix(name + ": ") }.map { String($0.dropFirst(name.count + 2)) }
  }
}
