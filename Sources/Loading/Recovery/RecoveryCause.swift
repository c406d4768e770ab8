/// The condition that must change before a failed request is worth another try.
package enum RecoveryCause: Hashable, Sendable {
  /// The server or the network, which are probed from time to time.
  case server
  /// The system's clock, or a certificate that the server must renew: by the current time, the certificate is not
  /// valid.
  case clock
  /// The response: a text in place of an image, bytes that are not HTTP, a refused content type or redirect, or an
  /// untrusted certificate. A captive portal may have responded in place of the server.
  case response
  /// The memory of this machine, which other images use now.
  case memory
  /// The switch `ImageDownloader.isOffline`. The server is not probed.
  case offline

  /// Returns nil for an error that does not heal by waiting.
  package init?(_ error: ImageError) {
    let traits = error.traits
    if traits.contains(.recoversOnline) {
      self = .offline
    } else if traits.contains(.retryable) {
      self = .server
    } else if traits.contains(.recoversWithClock) {
      self = .clock
    } else if traits.contains(.recoversWithMemory) {
      self = .memory
    } else if traits.contains(.recoversWithResponse) {
      self = .response
    } else {
      return nil
    }
  }

  /// True if the condition seldom changes within seconds, so that the host is probed at the longest delay.
  var isProbedSeldom: Bool { self == .clock || self == .response }
}
