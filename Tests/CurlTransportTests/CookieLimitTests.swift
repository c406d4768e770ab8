import FoundationEssentials
import Testing
import VitrineLoading

@testable import VitrineCurlTransport

/// The limits on the number of cookies in a jar.
@Suite(.timeLimit(.minutes(5))) struct CookieLimitTests {
  private func line(_ domain: String, _ name: String, path: String = "/", value: String = "1") -> String {
    [domain, domain.hasPrefix(".") ? "TRUE" : "FALSE", path, "FALSE", "0", name, value].joined(
      separator: "\t")
  }

  private func address(_ url: String) throws -> WebAddress {
    try Hop(TransportRequest(url: try #require(URL(string: url)))).address
  }

  private func names(_ index: CookieIndex, _ url: String) throws -> Set<String> {
    Set(index.cookies(for: try address(url), at: 0).map(\.name))
  }

  @Test func oldestCookiesOfADomainAreRemoved() throws {
    var index = CookieIndex(.init(perDomain: 3, total: 100))
    let other = line("other.test", "a")
    let lines = (0..<5).map { line("a.test", "\($0)") }

    #expect(index.update([other] + Array(lines[..<3])).isEmpty)
    // libcurl lists cookies in any order.
    let excess = index.update([lines[4], lines[3], other] + Array(lines[..<3]))

    #expect(excess.map(\.name).sorted() == ["0", "1"])
    #expect(try names(index, "http://a.test/") == ["2", "3", "4"])
    #expect(try names(index, "http://other.test/") == ["a"])
  }

  @Test func oldestCookiesOfAllDomainsAreRemoved() throws {
    var index = CookieIndex(.init(perDomain: 3, total: 10))
    for count in 1...50 { _ = index.update((max(0, count - 11)..<count).map { line("h\($0).test", "a") }) }

    #expect(index.count == 10)
    #expect(try names(index, "http://h39.test/").isEmpty)
    #expect(try names(index, "http://h49.test/") == ["a"])
  }

  @Test func cookieThatIsSetAgainKeepsItsAge() throws {
    var index = CookieIndex(.init(perDomain: 2, total: 100))
    _ = index.update([line("a.test", "old"), line("a.test", "new")])

    let excess = index.update([
      line("a.test", "new"), line("a.test", "newest"), line("a.test", "old", value: "2"),
    ])

    #expect(excess.map(\.name) == ["old"])
    #expect(excess.first?.removal == "a.test\tFALSE\t/\tFALSE\t1\told\t2")
  }

  @Test func cookiesOfParentDomainsAreFound() throws {
    var index = CookieIndex()
    _ = index.update([
      line(".test", "top"), line(".a.test", "parent"), line("b.a.test", "own"), line("c.a.test", "sibling"),
      line("::1", "address"),
    ])

    #expect(try names(index, "http://b.a.test/") == ["top", "parent", "own"])
    #expect(try names(index, "http://B.A.TEST/") == ["top", "parent", "own"])
    #expect(try names(index, "http://[::1]/") == ["address"])
  }

  @Test func jarOfAServerThatSetsManyCookiesIsBounded() async throws {
    let server = try ScriptedServer { request in
      let first = Int(request.target.dropFirst()) ?? 0
      return [
        .response("", fields: (first..<first + 20).map { "Set-Cookie: n\($0)=\($0); Path=/; HttpOnly" })
      ]
    }
    defer { server.stop() }
    let jar = CookieJar()
    let transport = CurlTransport(configuration: .init(cookies: jar))

    for number in 0..<10 { _ = try await transport.get(server.url + "/\(number * 20)") }

    #expect(jar.count == 50)
    let sent = Set(jar.cookies(for: try address(server.url + "/")))
    #expect(sent.count == 50)
    #expect((160..<200).allSatisfy { sent.contains("n\($0)=\($0)") })
    jar.removeAll()
    #expect(jar.cookies(for: try address(server.url + "/")).isEmpty)
  }
}
