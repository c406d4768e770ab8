/// The likely reason why an https server is not trusted.
///
/// Derived from the message of the TLS library, which reports only the first problem.
public enum TrustFailure: Hashable, Sendable, CaseIterable {
  /// The certificate has expired, or the clock of this machine is fast.
  case expired
  /// The certificate is not valid yet. Often the clock of this machine is slow, for example after a start without a
  /// battery.
  case notYetValid
  /// The certificate is self-signed.
  case selfSigned
  /// The certificate is signed by an unknown authority, or the intermediate certificates are missing.
  case unknownAuthority
  /// The certificate belongs to another host.
  case wrongHost
  /// The authority has revoked the certificate.
  case revoked
  /// The public key is not one of the keys pinned for the host.
  case pinMismatch
  /// Keys are pinned for the host and cannot be compared: a pin is malformed, the host's name has no ASCII form, the
  /// request is not encrypted, or the TLS library cannot compare keys.
  case pinUnusable
  /// The server only offers a TLS version or keys that are too weak.
  case weakEncryption
  /// The file of certificate authorities cannot be read.
  case authoritiesUnreadable
  /// Another reason, given in the message.
  case other

  /// The reason as the end of a sentence about the host.
  var explanation: String {
    switch self {
    case .expired: "its certificate has expired, or the clock of this machine is wrong"
    case .notYetValid: "its certificate is not valid yet: the clock of this machine may be wrong"
    case .selfSigned: "its certificate is self-signed"
    case .unknownAuthority: "its certificate is signed by an unknown authority"
    case .wrongHost: "its certificate belongs to another host"
    case .revoked: "its certificate is revoked"
    case .pinMismatch: "its key is not one of the pinned keys"
    case .pinUnusable: "the keys that are pinned for it cannot be compared"
    case .weakEncryption: "its TLS version or its key is too weak"
    case .authoritiesUnreadable: "the file of certificate authorities cannot be read"
    case .other: "its certificate or its TLS is refused"
    }
  }
}
