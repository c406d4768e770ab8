import FoundationEssentials
import Synchronization
import Testing
import VitrineCurlTransport
import VitrineLoading

@Suite("A program decides about redirects", .timeLimit(.minutes(5)))
struct RedirectRulesTests {
  typealias Redirect = CurlTransport.Redirect

  @Test("AF-S19 a program is asked about a redirect", arguments: [301, 302, 303, 307, 308])
  func programIsAskedAboutARedirect(status: Int) async throws {
    let server = try server(status: status, location: "/two")
    defer { server.stop() }
    let redirects = Mutex<[Redirect]>([])

    let calls = try await transport { redirect in
      redirects.withLock { $0.append(redirect) }
      return .follow
    }.get(server.url + "/one")

    let redirect = try #require(redirects.withLock { $0.first })
    #expect(redirect.source.absoluteString == server.url + "/one")
    #expect(redirect.target.absoluteString == server.url + "/two")
    #expect(redirect.status == status && redirects.withLock { $0.count } == 1)
    #expect(calls.text == "/two")
  }

  @Test func refusalIsTypedAndOmitsThePassword() async throws {
    let server = try server(location: "/two")
    defer { server.stop() }

    let calls = try await transport { _ in .refuse }.get("http://user:pass@127.0.0.1:\(server.port)/one")

    #expect(calls.error == .redirectRefused(.byRule(to: server.url + "/two")))
    #expect(calls.responses.isEmpty && server.requests.count == 1)
  }

  @Test func ruleMayReplaceTheTargetURL() async throws {
    let server = try server(location: "/two")
    defer { server.stop() }
    let other = try ScriptedServer { _ in [.response("other")] }
    defer { other.stop() }
    let target = try #require(URL(string: other.url + "/three"))

    let calls = try await transport { _ in .go(to: target) }.get(
      server.url + "/one", headers: ["X-Api-Key": "1"])

    #expect(calls.text == "other" && calls.responses.first?.url == target)
    #expect(other.requests.map { $0.value(of: "x-api-key") } == [nil])
  }

  @Test(arguments: [
    ("file:///etc/hostname", ImageError.RedirectRefusal.scheme("file")), ("two", .badLocation("two")),
  ])
  func replacedTargetURLIsCheckedLikeARedirect(url: String, reason: ImageError.RedirectRefusal) async throws {
    let server = try server(location: "/two")
    defer { server.stop() }
    let target = try #require(URL(string: url))

    let calls = try await transport { _ in .go(to: target) }.get(server.url + "/one")

    #expect(calls.error == .redirectRefused(reason))
  }

  @Test func ruleIsNotAskedAboutARefusedRedirect() async throws {
    let server = try server(location: "file:///etc/hostname")
    defer { server.stop() }

    let calls = try await transport { _ in
      Issue.record("asked")
      return .follow
    }.get(server.url + "/one")

    #expect(calls.error == .redirectRefused(.scheme("file")))
  }

  @Test(arguments: [(-1, 0), (0, 0), (1, 1), (7, 7)])
  func redirectLimitIsConfigurable(limit: Int, followed: Int) async throws {
    let server = try ScriptedServer { _ in [.response("", status: "302 Found", fields: ["Location: /"])] }
    defer { server.stop() }

    let calls = try await CurlTransport(configuration: .init(redirects: .init(limit: limit))).get(server.url)

    #expect(calls.error == .redirectRefused(.tooMany(limit: max(0, limit))))
    #expect(calls.failureMetrics?.redirects == followed && server.requests.count == followed + 1)
  }

  @Test func ruleThatLoopsEndsAtTheRedirectLimit() async throws {
    let server = try server(location: "/two")
    defer { server.stop() }
    let one = try #require(URL(string: server.url + "/one"))

    let calls = try await transport { _ in .go(to: one) }.get(server.url + "/one")

    #expect(calls.error == .redirectRefused(.tooMany(limit: 5)))
  }

  private func server(status: Int = 302, location: String) throws -> ScriptedServer {
    try ScriptedServer { request in
      request.target == "/one"
        ? [.response("", status: "\(status) Moved", fields: ["Location: \(location)"])]
        : [.response(request.target)]
    }
  }

  private func transport(_ decide: @escaping @Sendable (Redirect) -> Redirect.Decision) -> CurlTransport {
    CurlTransport(configuration: .init(redirects: .init(decide: decide)))
  }
}
