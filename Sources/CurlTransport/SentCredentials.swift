import VitrineLoading

/// Cookies and credentials that a transport adds to the requests of one transfer.
struct SentCredentials: Sendable {
  private var cookies: Set<String> = []
  private var logins: Set<String> = []

  /// What would be added to the request of a hop now.
  mutating func add(_ hop: Hop, _ settings: TransferSettings) {
    if let jar = settings.configuration.cookies {
      cookies.formUnion(jar.cookies(for: hop.address))
    }
    if let digest = settings.credentialDigest(for: hop) { logins.insert(digest) }
  }

  /// Of all that was added; the same for the same cookies in another order.
  var digests: CredentialDigests {
    CredentialDigests(
      cookie: cookies.isEmpty ? nil : SecretDigest.hex(["cookie"] + cookies.sorted()),
      authorization: logins.isEmpty ? nil : SecretDigest.hex(["authorization"] + logins.sorted()))
  }
}
