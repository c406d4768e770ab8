import CCurl
import VitrineLoading

extension TrustFailure {
  /// Derives the cause from libcurl's code and message. Returns `nil` for a failure that is not about trust.
  ///
  /// Recognizes the messages of OpenSSL 1.1 and 3, GnuTLS, mbedTLS, wolfSSL and libcurl.
  init?(_ code: CURLcode, _ message: String) {
    let message = message.lowercased()
    switch code {
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH: self = .pinMismatch
    case CURLE_SSL_CACERT_BADFILE: self = .authoritiesUnreadable
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_ISSUER_ERROR,
      CURLE_OBSOLETE51:
      self = Self.cause(in: message)
    // The TLS handshake failed permanently. A connection that was lost during the handshake has the same code, with the
    // host in its message.
    case CURLE_SSL_CONNECT_ERROR where message.contains("ssl routines:"):
      if ["protocol", "too small", "too weak"].contains(where: message.contains) {
        self = .weakEncryption
      } else if message.contains("certificate") {
        self = .other
      } else {
        return nil
      }
    default: return nil
    }
  }

  /// Phrases of messages and the cause that each indicates. The first phrase that the message contains decides. Phrases
  /// about host names come first, because such messages quote the names of the host and of the certificate.
  private static let phrases: [(String, TrustFailure)] = [
    ("subject name", .wrongHost), ("common name", .wrongHost), ("does not match", .wrongHost),
    ("not yet valid", .notYetValid), ("not activated", .notYetValid), ("starts in the future", .notYetValid),
    ("date before", .notYetValid), ("expired", .expired), ("expiration", .expired), ("date after", .expired),
    ("in certificate chain", .unknownAuthority), ("self-signed", .selfSigned), ("self signed", .selfSigned),
    ("revoked", .revoked), ("mismatch", .wrongHost), ("pinned", .pinMismatch), ("issuer", .unknownAuthority),
    ("verify the first certificate", .unknownAuthority), ("not trusted", .unknownAuthority),
    ("not correctly signed", .unknownAuthority), ("unknown ca", .unknownAuthority),
    ("no signer", .unknownAuthority), ("too small", .weakEncryption), ("too weak", .weakEncryption),
  ]

  private static func cause(in message: String) -> TrustFailure {
    phrases.first { message.contains($0.0) }?.1 ?? .other
  }
}
