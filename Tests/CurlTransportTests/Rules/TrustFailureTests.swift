import CCurl
import Testing
import VitrineLoading

@testable import VitrineCurlTransport

@Suite("The cause of a refused server is derived from libcurl's message")
struct TrustFailureTests {
  @Test(
    "the message of libcurl determines the cause",
    arguments: [
      ("SSL certificate problem: certificate has expired", .expired),
      ("SSL certificate problem: certificate is not yet valid", .notYetValid),
      ("SSL certificate problem: self-signed certificate", .selfSigned),
      ("SSL certificate problem: self signed certificate", .selfSigned),
      ("SSL certificate problem: self-signed certificate in certificate chain", .unknownAuthority),
      ("SSL certificate problem: unable to get local issuer certificate", .unknownAuthority),
      ("SSL certificate problem: unable to verify the first certificate", .unknownAuthority),
      ("SSL certificate problem: certificate revoked", .revoked),
      ("SSL: no alternative certificate subject name matches target host name 'expired.example'", .wrongHost),
      ("SSL: certificate subject name 'self-signed' does not match target host name 'b'", .wrongHost),
      ("SSL certificate problem: IP address mismatch", .wrongHost),
      ("SSL certificate problem: CA certificate key too weak", .weakEncryption),
      ("server certificate expiration date has passed.", .expired),
      ("server certificate not activated yet.", .notYetValid),
      ("The certificate validity has expired", .expired),
      ("The certificate validity starts in the future", .notYetValid),
      ("The certificate is not correctly signed by the trusted CA", .unknownAuthority),
      ("ASN date error, current date before", .notYetValid),
      ("ASN date error, current date after", .expired),
      ("server certificate verification failed. CAfile: none CRLfile: none", .other),
    ] as [(String, TrustFailure)])
  func messageDeterminesTheCause(message: String, cause: TrustFailure) {
    #expect(TrustFailure(CURLE_PEER_FAILED_VERIFICATION, message) == cause)
  }

  @Test func specificCodeDeterminesTheCause() {
    #expect(TrustFailure(CURLE_SSL_PINNEDPUBKEYNOTMATCH, "") == .pinMismatch)
    #expect(
      TrustFailure(CURLE_SSL_CACERT_BADFILE, "error setting certificate file: ") == .authoritiesUnreadable)
  }

  @Test func handshakeFailureIsATrustFailureOnlyIfItIsPermanent() {
    func cause(_ message: String) -> TrustFailure? { TrustFailure(CURLE_SSL_CONNECT_ERROR, message) }

    #expect(cause("error:0A000102:SSL routines::unsupported protocol") == .weakEncryption)
    #expect(cause("error:0A00018F:SSL routines::ee key too small") == .weakEncryption)
    #expect(cause("error:0A000415:SSL routines::sslv3 alert certificate expired") == .other)
    #expect(cause("error:0A00010B:SSL routines::wrong version number") == nil)
    #expect(cause("Connection reset by peer in connection to certificate.example:443") == nil)
    #expect(TrustFailure(CURLE_COULDNT_CONNECT, "certificate has expired") == nil)
  }

  @Test func onlyCertificateDatesSuggestAWrongClock() {
    let causes = TrustFailure.allCases.filter {
      ImageError.untrustedServer(host: "a", cause: $0, message: "").suggestsWrongClock
    }
    #expect(causes == [.expired, .notYetValid])
    #expect(!ImageError.status(500).suggestsWrongClock)
  }

  @Test func trustFailureNamesTheHostOfTheRefusedCertificate() {
    var failure = CurlFailure(code: CURLE_PEER_FAILED_VERIFICATION, message: "certificate has expired")
    failure.host = "a.example"
    failure.isProxied = true
    func host() -> String? {
      guard case .untrustedServer(let host, .expired, _) = failure.error else { return nil }
      return host
    }

    #expect(host() == "a.example")
    failure.secureProxyHost = "proxy.example"
    #expect(host() == "proxy.example")
    failure.proxyStatus = 200
    #expect(host() == "a.example")
  }
}
