import FoundationEssentials
import Testing
import VitrineLoading

@testable import VitrineCurlTransport

/// The rules for answering a challenge with a password (RFC 7616, 3.3).
@Suite("A challenge receives one reply, and one more for a stale nonce")
struct ChallengeTests {
  private func refusal(_ value: String?, status: Int = 401) throws -> TransportResponse {
    let url = try #require(URL(string: "http://a.example/"))
    var headers = HTTPHeaders()
    headers["WWW-Authenticate"] = value
    return TransportResponse(url: url, status: status, headers: headers)
  }

  private let digest = CurlTransport.Credential.Secret.digest(user: "u", password: "p")

  @Test func secondChallengeIsNotAnswered() throws {
    var challenge = Challenge()
    let first = challenge.withhold(try refusal("Digest nonce=1"), knowing: digest)
    #expect(first)
    let isAnswered = challenge.reply()
    #expect(isAnswered)

    let second = challenge.withhold(try refusal("Digest nonce=2"), knowing: digest)
    #expect(!second)
    #expect(challenge.withheld == nil)
  }

  @Test func staleNonceIsAnsweredOnceMore() throws {
    var challenge = Challenge()
    _ = challenge.withhold(try refusal("Digest nonce=1"), knowing: digest)
    _ = challenge.reply()

    let second = challenge.withhold(try refusal("Digest nonce=2, stale=\"TRUE\""), knowing: digest)
    #expect(second)
    _ = challenge.reply()
    let third = challenge.withhold(try refusal("Digest nonce=3, stale=true"), knowing: digest)
    #expect(!third)
  }

  @Test(arguments: [nil, "Basic realm=a", "Bearer"])
  func onlyADigestChallengeReceivesKnownCredentials(value: String?) throws {
    var challenge = Challenge()

    let isWithheld = challenge.withhold(try refusal(value), knowing: digest)
    let isForbiddenWithheld = challenge.withhold(try refusal("Digest nonce=1", status: 403), knowing: digest)
    let isWithheldWithoutAny = challenge.withhold(try refusal("Digest nonce=1"), knowing: nil)

    #expect(!isWithheld && !isForbiddenWithheld && !isWithheldWithoutAny)
  }
}
