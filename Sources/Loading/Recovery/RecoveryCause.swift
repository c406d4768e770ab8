/// The condition that must change before a failed request is worth another try.
package enum RecoveryCause: Hashable, Sendable {
  /// The server or the network, which are probed from time to time.
  case server
  /// The system's clock, or a certificate that the server must renew: by the current time, the certificate is not
  /// valid.
  case clock
  /// The memory of this machine, which other images use now.
  case memory

  /// Returns nil for an error that does not heal by waiting.
  package init?(_ error: ImageError) {
    let traits = error.traits
    if traits.contains(.retryable) {
      self = .server
    } else if traits.contains(.recoversWithClock) {
      self = .clock
    } else if traits.contains(.recoversWithMemory) {
      self = .memory
    } else {
      return nil
    }
  }
}
