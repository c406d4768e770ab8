import VitrineLoading

/// The cookies and credentials that the transport has added to the requests of one transfer.
struct SentCredentials: Sendable {
  private var cookies: Set<String> = []
  private var logins: Set<String> = []

  /// Adds the cookies and the credential that the transport would add to the request of a hop now.
  mutating func add(_ hop: Hop, _ settings: TransferSettings) {
    if let jar = settings.configuration.cookies {
      cookies.formUnion(jar.cookies(for: hop.address))
    }
    if let digest = settings.credentialDigest(for: hop) { logins.insert(digest) }
  }

  /// Digests of everything that was added. The order of cookies does not matter.
  var digests: CredentialDigests {
    CredentialDigests(
      cookie: cookies.isEmpty ? nil : SecretDigest.hex(["cookie"] + cookies.sorted()),
      authorization: logins.isEmpty ? nil : SecretDigest.hex(["authorization"] + logins.sorted()))
  }
}
