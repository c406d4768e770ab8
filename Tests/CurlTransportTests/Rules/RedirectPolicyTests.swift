import FoundationEssentials
import Testing
import VitrineLoading

@testable import VitrineCurlTransport

@Suite("Redirects are followed within bounds")
struct RedirectPolicyTests {
  private let policy = RedirectPolicy()

  @Test(arguments: [301, 302, 303, 307, 308])
  func everyRedirectStatusIsFollowed(status: Int) throws {
    let hop = try Hop("http://a.example/folder/one.jpg")

    let decision = policy.decide(status: status, location: "two.jpg", at: hop)

    var expected = try Hop("http://a.example/folder/two.jpg")
    expected.redirects = 1
    #expect(decision == .follow(expected))
  }

  @Test(arguments: [200, 204, 300, 304, 305, 306, 309, 404, 500])
  func otherStatusesAreNotRedirects(status: Int) throws {
    let hop = try Hop("http://a.example/")

    #expect(policy.decide(status: status, location: "/x", at: hop) == .isNoRedirect)
  }

  @Test(arguments: [
    ("/c.jpg", "http://a.example/c.jpg"), ("../c.jpg", "http://a.example/c.jpg"),
    ("?page=2", "http://a.example/folder/one.jpg?page=2"), ("//b.example/c.jpg", "http://b.example/c.jpg"),
    ("https://b.example:444/c.jpg", "https://b.example:444/c.jpg"),
    ("HTTP://A.EXAMPLE/c.jpg", "http://A.EXAMPLE/c.jpg"),
    ("a picture.jpg", "http://a.example/folder/a%20picture.jpg"), ("./b:c", "http://a.example/folder/b:c"),
    ("/été.jpg", "http://a.example/%c3%a9t%c3%a9.jpg"),
    ("http:///b.example/c.jpg", "http://b.example/c.jpg"),
  ])
  func locationIsResolvedAgainstTheCurrentURL(location: String, expected: String) throws {
    let hop = try Hop("http://a.example/folder/one.jpg?page=1")

    #expect(followed(policy.decide(status: 302, location: location, at: hop))?.address.text == expected)
  }

  @Test(arguments: [
    ("file:///etc/passwd", "file"), ("ftp://a.example/x", "ftp"), ("data:image/png;base64,AA==", "data"),
    ("javascript:alert(1)", "javascript"), ("GOPHER://a.example/", "gopher"), ("dict://a.example:1/", "dict"),
    ("smb://a.example/share", "smb"), ("mailto:a@b.example", "mailto"), ("file:/etc/passwd", "file"),
  ])
  func redirectToASchemeOtherThanHTTPIsRefused(location: String, scheme: String) throws {
    let hop = try Hop("http://a.example/")

    #expect(policy.decide(status: 302, location: location, at: hop) == .refuse(.scheme(scheme)))
  }

  @Test(arguments: [nil, "", "http://", "http://a.example:99999/", "http://[::1", "http://a b/", "/a\u{1}b"])
  func invalidLocationIsRefused(location: String?) throws {
    let hop = try Hop("http://a.example/")

    #expect(
      policy.decide(status: 301, location: location, at: hop) == .refuse(.badLocation(location ?? "")))
  }

  @Test func redirectFromHTTPSToHTTPIsRefused() throws {
    let hop = try Hop("https://a.example/")

    #expect(policy.decide(status: 302, location: "http://a.example/", at: hop) == .refuse(.downgrade))
    #expect(followed(policy.decide(status: 302, location: "//b.example/", at: hop)) != nil)
  }

  @Test(arguments: [
    ("http://a.example/", ImageError.RedirectRefusal.downgrade), ("ftp://a.example/", .scheme("ftp")),
    ("a", .badLocation("a")),
  ])
  func ruleCannotRedirectToAForbiddenURL(url: String, reason: ImageError.RedirectRefusal) throws {
    let target = try #require(URL(string: url))
    let policy = RedirectPolicy(rules: .init(decide: { _ in .go(to: target) }))

    let decision = policy.decide(status: 302, location: "/", at: try Hop("https://a.example/"))

    #expect(decision == .refuse(reason))
  }

  @Test func fiveRedirectsAreFollowedAndTheSixthIsRefused() throws {
    var hop = try Hop("http://a.example/")

    for _ in 1...5 {
      hop = try #require(followed(policy.decide(status: 302, location: "/", at: hop)))
    }

    #expect(hop.redirects == 5)
    #expect(policy.decide(status: 302, location: "/", at: hop) == .refuse(.tooMany(limit: 5)))
  }

  @Test func sameOriginKeepsEveryHeader() throws {
    let headers: HTTPHeaders = ["Authorization": "Bearer 1", "X-Api-Key": "2", "Accept": "image/*"]
    let hop = try Hop("http://a.example/one", headers: headers)

    let next = followed(policy.decide(status: 302, location: "http://A.example:80/two", at: hop))

    #expect(next?.headers == headers)
  }

  @Test(arguments: [
    "http://b.example/", "http://a.example:81/", "https://a.example/", "http://a.example.:80/",
  ])
  func otherOriginReceivesOnlyAcceptAndUserAgent(location: String) throws {
    let hop = try Hop(
      "http://a.example/",
      headers: [
        "Authorization": "Bearer 1", "X-Api-Key": "2", "ACCEPT": "image/*", "user-agent": "Kiosk",
        "Cookie": "3", "Referer": "4", "Range": "bytes=1-", "Accept-Language": "de",
      ])

    let next = followed(policy.decide(status: 302, location: location, at: hop))

    #expect(next?.headers == ["ACCEPT": "image/*", "user-agent": "Kiosk"])
  }

  @Test func droppedHeadersAreNotRestoredOnReturn() throws {
    let hop = try Hop("http://a.example/", headers: ["X-Api-Key": "2"])

    let second = try #require(followed(policy.decide(status: 302, location: "//b.example/", at: hop)))
    let third = followed(policy.decide(status: 302, location: "//a.example/", at: second))

    #expect(third?.headers.isEmpty == true)
  }

  @Test(arguments: [
    ("/two", "http://user:secret@a.example/two"),
    ("http://a.example/two", "http://user:secret@a.example/two"),
    ("http://b.example/two", "http://b.example/two"), ("//evil:x@b.example/", "http://b.example/"),
    ("http://evil:x@a.example/", "http://user:secret@a.example/"),
  ])
  func loginStaysWithItsOrigin(location: String, expected: String) throws {
    let hop = try Hop("http://user:secret@a.example/one")

    #expect(followed(policy.decide(status: 302, location: location, at: hop))?.address.text == expected)
  }
}

private func followed(_ decision: RedirectPolicy.Decision) -> Hop? {
  guard case .follow(let hop) = decision else { return nil }
  return hop
}

extension Hop {
  /// The first request to `url`.
  init(_ url: String, headers: HTTPHeaders = [:]) throws {
    try self.init(TransportRequest(url: #require(URL(string: url)), headers: headers))
  }
}
