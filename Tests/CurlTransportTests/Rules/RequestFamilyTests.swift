import FoundationEssentials
import Testing
import VitrineLoading

@testable import VitrineCurlTransport

@Suite("Options of an easy handle are kept only between requests that need the same options")
struct RequestFamilyTests {
  private static let headers: HTTPHeaders = ["Accept": "image/*", "Authorization": "Bearer a"]

  private func hop(_ url: String, headers: HTTPHeaders = Self.headers) throws -> Hop {
    try Hop(TransportRequest(url: try #require(URL(string: url)), headers: headers))
  }

  private func family(
    _ url: String = "https://a.example/1", connectLimit: Double = 10,
    with configuration: CurlTransport.Configuration = .init()
  ) throws -> RequestFamily? {
    RequestFamily(try hop(url), connectLimit: connectLimit, TransferSettings(configuration))
  }

  /// Returns true if a request belongs to the family of `https://a.example/1`.
  private func isInFamily(
    _ url: String = "https://a.example/1", headers: HTTPHeaders = Self.headers, connectLimit: Double = 10,
    isFresh: Bool = false, with configuration: CurlTransport.Configuration = .init()
  ) throws -> Bool {
    var hop = try hop(url, headers: headers)
    hop.needsFreshConnection = isFresh
    let family = try #require(try family())
    return family.contains(hop, connectLimit: connectLimit, TransferSettings(configuration))
  }

  @Test(arguments: ["https://a.example/2", "https://a.example:443/1?size=2", "https://A.example/"])
  func requestsToOneOriginAreOfOneFamily(url: String) throws {
    #expect(try isInFamily(url))
  }

  @Test(arguments: [
    "http://a.example/1", "https://b.example/1", "https://a.example:444/1", "https://a.example./1",
  ])
  func requestsToOtherOriginsAreNot(url: String) throws {
    #expect(try !isInFamily(url))
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
    #expect(try !isInFamily(headers: headers))
  }

  @Test func requestsWithAnotherTimeLimitAreNot() throws {
    #expect(try !isInFamily(connectLimit: 11))
    // A request whose limit is NaN is in no family, so that its options are always set.
    let family = try #require(try family(connectLimit: .nan))
    #expect(!family.contains(try hop("https://a.example/1"), connectLimit: .nan, TransferSettings()))
  }

  @Test func requestForANewConnectionIsNot() throws {
    #expect(try !isInFamily(isFresh: true))
  }

  @Test(arguments: ["https://user@a.example/", "https://user:pw@a.example/", "https://:pw@a.example/"])
  func optionsForALoginAreNotKept(url: String) throws {
    #expect(try family(url) == nil)
    #expect(try !isInFamily(url))
  }

  @Test func optionsOfATransportWithCredentialsOrCookiesAreNotKept() throws {
    let origin = try #require(URL(string: "https://other.example"))

    #expect(try family(with: .init(cookies: CookieJar())) == nil)
    #expect(try !isInFamily(with: .init(cookies: CookieJar())))
    for credential in [
      CurlTransport.Credential.basic(user: "u", password: "p", origin: origin),
      .digest(user: "u", password: "p", origin: origin), .bearer("t", origin: origin),
    ] {
      #expect(try family(with: .init(credentials: [credential])) == nil)
      #expect(try !isInFamily(with: .init(credentials: [credential])))
    }
  }

  @Test func optionsForAProxyAreNotKept() throws {
    let configuration = CurlTransport.Configuration(
      proxy: .url("http://u:p@proxy.example:8080", exceptions: ["b.example"]))

    #expect(try family(with: configuration) == nil)
    #expect(try !isInFamily(with: configuration))
    let family = try #require(try family("https://b.example/", with: configuration))
    let hop = try hop("https://b.example/2")
    #expect(family.contains(hop, connectLimit: 10, TransferSettings(configuration)), "without the proxy")
  }
}
