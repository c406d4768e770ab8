import VitrineLoading

extension CurlTransport {
  /// What a server on https has to prove. TLS 1.2 is the least in any case.
  ///
  /// A server that cannot is `ImageError.untrustedServer`, and is sent no request.
  public struct Trust: Hashable, Sendable {
    /// Path of a PEM file with the certificate authorities to trust instead of the system's, also for a proxy
    /// on https; nil, the default, trusts the system's.
    public var certificateAuthorities: String?
    /// Hosts whose public key is known, and which keys each may have (AFSecurityPolicy's pinning): SHA-256 of
    /// the key's SubjectPublicKeyInfo. None by default.
    ///
    /// ```swift
    /// trust.pinnedKeys["cdn.example"] = ["sha256//YhKJKSzoTt2b5FP18fvpHo7fJYqQCjAa3HWY3tvRMwE="]
    /// ```
    ///
    /// Asked for in addition to the certificate; with `allowsInvalidCertificates` it is the key alone that
    /// counts. A host with an empty list, or with an entry of another form, is never trusted; nor is a
    /// pinned host over plain http. Case, a trailing dot, a port, and the brackets of an address are ignored. A name in
    /// Unicode equals its ASCII form (`xn--`); a name that has no such form is never trusted. This prints the pin of a
    /// certificate:
    ///
    /// ```sh
    /// openssl x509 -in cert.pem -pubkey -noout | openssl pkey -pubin -outform der |
    ///   openssl dgst -sha256 -binary | base64
    /// ```
    public var pinnedKeys: [String: [String]]
    /// Whether a certificate may be self-signed, expired or of an unknown authority; false by default. For
    /// machines in a laboratory: whoever is on the way may then read and change everything. The transport
    /// warns of it.
    public var allowsInvalidCertificates: Bool
    /// Whether the certificate must be that of the host; true by default, also for one that may be invalid.
    /// The transport warns of false.
    public var checksHostNames: Bool

    /// The system's authorities and the host's name, no pinned key, unless said otherwise.
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

  /// What makes it unsafe, in a line; nil for what is safe.
  var warning: String? {
    switch (allowsInvalidCertificates, checksHostNames) {
    case (false, true): nil
    case (true, true): "certificates of https are not checked"
    case (false, false): "certificates of https are not checked for the host's name"
    case (true, false): "certificates of https and the host's name in them are not checked"
    }
  }
}
