import VitrineLoading

extension CurlTransport {
  /// The requirements for an https server. TLS 1.2 is the minimum in any case.
  ///
  /// If a server does not meet the requirements, the load fails with `ImageError.untrustedServer` and no request is
  /// sent.
  public struct Trust: Hashable, Sendable {
    /// The path of a PEM file with the certificate authorities to trust instead of the system's, also for an https
    /// proxy. `nil`, the default, trusts the system's authorities.
    public var certificateAuthorities: String?
    /// The public keys that are accepted, by host (AFSecurityPolicy's pinning). Each is the SHA-256 digest of a key's
    /// SubjectPublicKeyInfo. Empty by default.
    ///
    /// ```swift
    /// trust.pinnedKeys["cdn.example"] = ["sha256//YhKJKSzoTt2b5FP18fvpHo7fJYqQCjAa3HWY3tvRMwE="]
    /// ```
    ///
    /// Pins are checked in addition to the certificate; with `allowsInvalidCertificates` only the key counts. A host
    /// with an empty list or a malformed pin is never trusted, and neither is a pinned host over plain http. In host
    /// names, case, a trailing dot, a port, and the brackets of an address are ignored. A Unicode name equals its ASCII
    /// form (`xn--`); a name that has no such form is never trusted. This command prints the pin of a certificate:
    ///
    /// ```sh
    /// openssl x509 -in cert.pem -pubkey -noout | openssl pkey -pubin -outform der |
    ///   openssl dgst -sha256 -binary | base64
    /// ```
    public var pinnedKeys: [String: [String]]
    /// True if certificates that are self-signed, expired or from an unknown authority are accepted; false by default.
    /// Intended for test networks: every host on the network path can then read and change the traffic. The transport
    /// warns if this is true.
    public var allowsInvalidCertificates: Bool
    /// True if the certificate must match the host name, also if invalid certificates are accepted; true by default.
    /// The transport warns if this is false.
    public var checksHostNames: Bool

    /// Creates trust settings, by default with the system's authorities, a check of the host name, and no pinned keys.
    public init(
      certificateAuthorities: String? = nil, pinnedKeys: [String: [String]] = [:],
      allowsInvalidCertificates: Bool = false, checksHostNames: Bool = true
    ) {
      self.certificateAuthorities = certificateAuthorities
      self.pinnedKeys = pinnedKeys
      self.allowsInvalidCertificates = allowsInvalidCertificates
      self.checksHostNames = checksHostNames
    }
  }
}

extension CurlTransport.Trust {
  /// An identifier of the trust settings; empty for the default, which trusts the servers that the system trusts.
  var identifier: String {
    guard self != Self() else { return "" }
    // Each text is preceded by its length, so that different settings have different identifiers.
    let pins = pinnedKeys.sorted { $0.key < $1.key }.flatMap {
      [$0.key, "\($0.value.count)"] + $0.value.sorted()
    }
    let texts = [
      certificateAuthorities == nil ? "system" : "file", certificateAuthorities ?? "",
      "\(allowsInvalidCertificates)", "\(checksHostNames)",
    ]
    let bytes = (texts + pins).flatMap { Array("\($0.utf8.count):\($0)".utf8) }
    return SHA256.digest(bytes).map { String($0, radix: 16) }.joined(separator: "-")
  }

  /// A one-line warning if the settings are unsafe; `nil` otherwise.
  var warning: String? {
    switch (allowsInvalidCertificates, checksHostNames) {
    case (false, true): nil
    case (true, true): "certificates of https are not checked"
    case (false, false): "certificates of https are not checked for the host's name"
    case (true, false): "certificates of https and the host's name in them are not checked"
    }
  }
}
