/// What a failed request waits for before it is worth another try.
package enum RecoveryCause: Hashable, Sendable {
  /// The server or the network, which are asked again from time to time.
  case server
  /// The system's clock: the certificate is not valid at the time that it shows.
  case clock

  /// Nil for an error that stays.
  package init?(_ error: ImageError) {
    if error.mayHeal {
      self = .server
    } else if error.suggestsWrongClock {
      self = .clock
    } else {
      return nil
    }
  }
}
