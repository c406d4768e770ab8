import FoundationEssentials
import Synchronization
import Testing
import VitrineGraphics
import VitrineLoading
import VitrineTesting

@testable import VitrineCurlTransport

/// Digests of the credentials that the transport would send, or has sent, distinguish users.
@Suite(.timeLimit(.minutes(5))) struct CredentialDigestTests {
  /// A server that sets the cookie `user` to NAME for the path `/sign-in/NAME`, and returns an image of one row whose
  /// width depends on the cookie or login.
  private func server() throws -> ScriptedServer {
    try ScriptedServer { request in
      if request.target.hasPrefix("/sign-in/") {
        return [.response("", fields: ["Set-Cookie: user=\(request.target.dropFirst(9)); Path=/"])]
      }
      let sent = (request.value(of: "cookie") ?? "") + (request.value(of: "authorization") ?? "")
      let width = sent.isEmpty ? 9 : sent.contains("anna") || sent.contains("YW5uYTox") ? 1 : 2
      return [
        .response(
          String(decoding: FakeDecoder.encodedImage(width: width, height: 1), as: UTF8.self),
          fields: ["Vary: Cookie, Authorization", "Cache-Control: max-age=60"])
      ]
    }
  }

  private func digests(_ transport: CurlTransport, _ url: String) throws -> CredentialDigests {
    transport.credentialDigests(for: try #require(URL(string: url)), headers: [:])
  }

  @Test func predictedCookieDigestMatchesTheSentCookies() async throws {
    let server = try server()
    defer { server.stop() }
    let transport = CurlTransport(configuration: .init(cookies: CookieJar()))
    #expect(transport.addsCredentials && !CurlTransport().addsCredentials)
    #expect(try digests(transport, server.url + "/a").isEmpty)

    _ = try await transport.get(server.url + "/sign-in/anna")
    let anna = try digests(transport, server.url + "/a")
    let calls = try await transport.get(server.url + "/a")
    _ = try await transport.get(server.url + "/sign-in/ben")

    #expect(anna.cookie != nil && anna.cookie?.contains("anna") == false)
    #expect(calls.responses.first?.credentials == anna)
    #expect(try digests(transport, server.url + "/a") != anna)
    #expect(try digests(transport, "http://other.example/a").isEmpty)
  }

  @Test func credentialDigestCoversOnlyItsOrigin() async throws {
    let server = try server()
    defer { server.stop() }
    func transport(_ user: String) throws -> CurlTransport {
      CurlTransport(
        configuration: .init(credentials: [
          .basic(user: user, password: "1", origin: try #require(URL(string: server.url)))
        ]))
    }
    let (anna, ben) = (try transport("anna"), try transport("ben"))

    let digest = try digests(anna, server.url + "/a")
    #expect(digest.authorization != nil && digest.cookie == nil)
    #expect(try digests(ben, server.url + "/a") != digest)
    #expect(try digests(transport("anna"), server.url + "/b") == digest, "equal logins have equal digests")
    #expect(try digests(anna, "http://other.example/").isEmpty)
    #expect(
      anna.credentialDigests(
        for: try #require(URL(string: server.url)), headers: ["Authorization": "Bearer 1"]
      ).isEmpty)
    #expect(try await anna.get(server.url + "/a").responses.first?.credentials == digest)
  }

  @Test(arguments: [
    ("127.0.0.1\tFALSE\t/\tFALSE\t0\ta\t1", true),
    ("#HttpOnly_127.0.0.1\tFALSE\t/\tFALSE\t0\ta\t1", true),
    ("127.0.0.2\tFALSE\t/\tFALSE\t0\ta\t1", false),
    (".0.0.1\tTRUE\t/\tFALSE\t0\ta\t1", false),
    ("127.0.0.1\tFALSE\t/p\tFALSE\t0\ta\t1", true),
    ("127.0.0.1\tFALSE\t/p/\tFALSE\t0\ta\t1", true),
    ("127.0.0.1\tFALSE\t/p/a.png\tFALSE\t0\ta\t1", true),
    ("127.0.0.1\tFALSE\t/p/a\tFALSE\t0\ta\t1", false),
    ("127.0.0.1\tFALSE\t/\tTRUE\t0\ta\t1", true),
    ("127.0.0.1\tFALSE\t/\tFALSE\t99\ta\t1", false),
    ("127.0.0.1\tFALSE\t/\tFALSE\t100\ta\t1", true),
  ])
  func cookieIsSentOnlyToItsDomainAndPathUntilItExpires(line: String, isSent: Bool) throws {
    let url = try #require(URL(string: "http://127.0.0.1:80/p/a.png?x=1"))
    let address = try #require(WebAddress(url))
    let cookie = try #require(JarCookie(line))
    #expect(cookie.isSent(to: address, at: 100) == isSent)
  }

  @Test func domainCookieIsSentToTheHostsOfItsDomain() throws {
    let cookie = try #require(JarCookie(".example.com\tTRUE\t/\tTRUE\t0\ta\t1"))
    for (url, isSent) in [
      ("https://example.com/", true), ("https://www.Example.com/", true), ("https://badexample.com/", false),
      ("http://example.com/", false),
    ] {
      let parsed = try #require(URL(string: url))
      let address = try #require(WebAddress(parsed))
      #expect(cookie.isSent(to: address, at: 1) == isSent, "\(url)")
    }
    #expect(JarCookie("nothing") == nil)
  }

  // MARK: With a downloader

  private final class SharedCaches: Sendable {
    let disk = MemoryDataCache()
    let cache = MemoryImageCache()

    func width(_ url: String, _ transport: CurlTransport) async throws -> Int {
      let downloader = ImageDownloader(
        transports: [transport], decoder: FakeDecoder(), cache: cache, dataCache: disk)
      let response = try await downloader.load(try ImageRequest(url)).response
      _ = await response.isStored()
      return response.image.pixelWidth
    }
  }

  @Test func nextVisitorOfACookieJarNeverSeesThePreviousVisitorsImage() async throws {
    let server = try server()
    defer { server.stop() }
    let jar = CookieJar()
    let transport = CurlTransport(configuration: .init(cookies: jar))
    let downloader = ImageDownloader(
      transports: [transport], decoder: FakeDecoder(), dataCache: MemoryDataCache())
    let url = server.url + "/image"
    func width() async throws -> Int {
      let response = try await downloader.load(try ImageRequest(url)).response
      _ = await response.isStored()
      return response.image.pixelWidth
    }

    _ = try await transport.get(server.url + "/sign-in/anna")
    #expect(try await width() == 1)
    jar.removeAll()
    #expect(downloader.cachedImage(for: try ImageRequest(url)) == nil)
    #expect(try await width() == 9)
    _ = try await transport.get(server.url + "/sign-in/ben")
    #expect(try await width() == 2)
    await downloader.shutDown()
  }

  @Test func nextVisitorWithALoginNeverSeesThePreviousVisitorsImage() async throws {
    let server = try server()
    defer { server.stop() }
    let caches = SharedCaches()
    let url = server.url + "/image"
    func transport(_ user: String) throws -> CurlTransport {
      CurlTransport(
        configuration: .init(credentials: [
          .basic(user: user, password: "1", origin: try #require(URL(string: server.url)))
        ]))
    }

    #expect(try await caches.width(url, transport("anna")) == 1)
    #expect(try await caches.width(url, transport("ben")) == 2)
    #expect(try await caches.width(url, CurlTransport()) == 9)
  }
}
