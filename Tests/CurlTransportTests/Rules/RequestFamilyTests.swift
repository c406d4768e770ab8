import FoundationEssentials
import Testing
import VitrineLoading

@testable import VitrineCurlTransport

@Suite("Options of an easy handle are kept only between requests that need the same options")
struct RequestFamilyTests {
  private static let headers: HTTPHeaders = ["Accept": "image/*", "Authorization": "Bearer a"]

  private func family(
    _ url: String = "https://a.example/1", headers: HTTPHeaders = Self.headers, connectLimit: Double = 10,
    isFresh: Bool = false, with configuration: CurlTransport.Configuration = .init()
  ) throws -> RequestFamily? {
    var hop = try Hop(TransportRequest(url: try #require(URL(string: url)), headers: headers))
    hop.needsFreshConnection = isFresh
    return RequestFamily(hop, connectLimit: connectLimit, TransferSettings(configuration))
  }

  @Test(arguments: ["https://a.example/2", "https://a.example:443/1?size=2", "https://A.example/"])
  func requestsToOneOriginAreOfOneFamily(url: String) throws {
    let family = try #require(try family())

    #expect(try self.family(url) == family)
  }

  @Test(arguments: [
    "http://a.example/1", "https://b.example/1", "https://a.example:444/1", "https://a.example./1",
  ])
  func requestsToOtherOriginsAreNot(url: String) throws {
    let other = try #require(try family(url))

    #expect(try family() != other)
  }

  @Test(
    "requests with other headers are not",
    arguments: [
      [:], ["Accept": "image/*"], ["Authorization": "Bearer a"],
      ["Accept": "image/*", "Authorization": "Bearer b"], ["Accept": "image/*", "authorization": "Bearer a"],
      ["Authorization": "Bearer a", "Accept": "image/*"],
      ["Accept": "image/*", "Authorization": "Bearer a", "Range": "bytes=1-"],
      ["Accept": "image/*", "Authorization": "Bearer a", "Cookie": "a=b"],
    ] as [HTTPHeaders])
  func otherHeaders(headers: HTTPHeaders) throws {
    let other = try #require(try family(headers: headers))

    #expect(try family() != other)
  }

  @Test func requestsWithAnotherTimeLimitAreNot() throws {
    let family = try #require(try family())

    #expect(try self.family(connectLimit: 11) != family)
    // It differs from itself too, so that its options are always set.
    let other = try #require(try self.family(connectLimit: .nan))
    #expect(other != other)
  }

  @Test func requestForANewConnectionIsNot() throws {
    let family = try #require(try family())

    #expect(try self.family(isFresh: true) != family)
  }

  @Test(arguments: ["https://user@a.example/", "https://user:pw@a.example/", "https://:pw@a.example/"])
  func optionsForALoginAreNotKept(url: String) throws {
    #expect(try family(url) == nil)
  }

  @Test func optionsOfATransportWithCredentialsOrCookiesAreNotKept() throws {
    let origin = try #require(URL(string: "https://other.example"))

    #expect(try family(with: .init(cookies: CookieJar())) == nil)
    for credential in [
      CurlTransport.Credential.basic(user: "u", password: "p", origin: origin),
      .digest(user: "u", password: "p", origin: origin), .bearer("t", origin: origin),
    ] {
      #expect(try family(with: .init(credentials: [credential])) == nil)
    }
  }

  @Test func optionsForAProxyAreNotKept() throws {
    let configuration = CurlTransport.Configuration(
      proxy: .url("http://u:p@proxy.example:8080", exceptions: ["b.example"]))

    #expect(try family(with: configuration) == nil)
    #expect(try family("https://b.example/", with: configuration) != nil)
  }
}
