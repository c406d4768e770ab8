import FoundationEssentials
import Testing
import VitrineCurlTransport
import VitrineLoading

@Suite("Cookies are kept only in a jar, and sent only to their hosts and paths", .timeLimit(.minutes(5)))
struct CookieTests {
  private func server(setting fields: [String] = ["Set-Cookie: a=1; Path=/"]) throws -> ScriptedServer {
    try ScriptedServer { request in [.response("", fields: request.target == "/set" ? fields : [])] }
  }

  @Test("SD-D36 cookies are sent only if there is a jar")
  func cookiesAreSentOnlyWithAJar() async throws {
    let server = try server()
    defer { server.stop() }

    for transport in [CurlTransport(), CurlTransport(cookies: CookieJar())] {
      _ = try await transport.get(server.url + "/set")
      _ = try await transport.get(server.url + "/next")
    }

    #expect(server.requests.map { $0.value(of: "cookie") } == [nil, nil, nil, "a=1"])
  }

  @Test func jarOutlivesTheThreadOfItsTransport() async throws {
    let server = try server()
    defer { server.stop() }
    let transport = CurlTransport(cookies: CookieJar())

    _ = try await transport.get(server.url + "/set")
    transport.stop()
    _ = try await transport.get(server.url + "/next")

    #expect(server.requests.last?.value(of: "cookie") == "a=1")
  }

  @Test func transportsWithTheSameJarShareCookies() async throws {
    let server = try server()
    defer { server.stop() }
    let jar = CookieJar()

    _ = try await CurlTransport(cookies: jar).get(server.url + "/set")
    _ = try await CurlTransport(cookies: jar).get(server.url + "/shared")
    _ = try await CurlTransport(cookies: CookieJar()).get(server.url + "/other")

    #expect(server.requests.map { $0.value(of: "cookie") } == [nil, "a=1", nil])
  }

  @Test func emptiedJarSendsNoCookies() async throws {
    let server = try server()
    defer { server.stop() }
    let jar = CookieJar()
    let transport = CurlTransport(cookies: jar)

    _ = try await transport.get(server.url + "/set")
    jar.removeAll()
    jar.removeAll()
    _ = try await transport.get(server.url + "/next")

    #expect(server.requests.last?.value(of: "cookie") == nil)
  }

  @Test func cookieHeaderOfARequestIsSentWithTheJarsCookies() async throws {
    let server = try server()
    defer { server.stop() }
    let transport = CurlTransport(cookies: CookieJar())

    _ = try await transport.get(server.url + "/set")
    _ = try await transport.get(server.url + "/next", headers: ["Cookie": "b=2"])
    let bad = try await transport.get(server.url + "/next", headers: ["Cookie": "b=2\r\nEvil: 1"])

    #expect(server.requests.last?.fields.filter { $0.hasPrefix("cookie") } == ["cookie: a=1; b=2"])
    #expect(bad.failure == .invalidRequest)
  }

  @Test(arguments: [
    "a=1; Domain=example.com", "a=1; Domain=.1", "a=1; Secure; Domain=localhost", "a=1; Path=/elsewhere",
    "a=1; Max-Age=0", "",
  ])
  func invalidOrForeignCookieIsNotSent(cookie: String) async throws {
    let server = try server(setting: ["Set-Cookie: \(cookie)"])
    defer { server.stop() }
    let transport = CurlTransport(cookies: CookieJar())

    _ = try await transport.get(server.url + "/set")
    _ = try await transport.get(server.url + "/next")

    #expect(server.requests.map { $0.value(of: "cookie") } == [nil, nil])
  }

  @Test func cookieOfOneHostIsNotSentToAnotherHost() async throws {
    let server = try server()
    defer { server.stop() }
    let transport = CurlTransport(cookies: CookieJar())

    _ = try await transport.get(server.url + "/set")
    _ = try await transport.get("http://localhost:\(server.port)/next")

    #expect(server.requests.map { $0.value(of: "cookie") } == [nil, nil])
  }

  @Test func cookieOfARedirectIsKept() async throws {
    let server = try ScriptedServer { request in
      request.target == "/"
        ? [.response("", status: "302 Found", fields: ["Location: /next", "Set-Cookie: a=1"])]
        : [.response("")]
    }
    defer { server.stop() }

    _ = try await CurlTransport(cookies: CookieJar()).get(server.url)

    #expect(server.requests.map { $0.value(of: "cookie") } == [nil, "a=1"])
  }

  @Test func jarAllowsConcurrentUseByManyTransports() async throws {
    let server = try ScriptedServer { request in
      [.response("", fields: ["Set-Cookie: n\(request.target.dropFirst())=1; Path=/"])]
    }
    defer { server.stop() }
    let jar = CookieJar()
    let transports = (0..<4).map { _ in CurlTransport(cookies: jar) }
    let recorders = (0..<80).map { _ in Recorder() }

    for (number, recorder) in recorders.enumerated() {
      try transports[number % 4].start("\(server.url)/\(number % 10)", receiver: recorder)
      if number % 20 == 0 { jar.removeAll() }
    }
    for recorder in recorders { #expect(await recorder.end().error == nil) }
    for number in 0..<10 { _ = try await transports[0].get("\(server.url)/\(number)") }
    _ = try await transports[3].get(server.url + "/0")

    #expect(server.requests.last?.value(of: "cookie")?.split(separator: ";").count == 10)
  }
}

extension CurlTransport {
  fileprivate convenience init(cookies: CookieJar) { self.init(configuration: .init(cookies: cookies)) }
}
