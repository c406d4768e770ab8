/// Decides when a feed is requested again.
///
/// A retryable failure, such as an unreachable server, is retried after one second, then after twice the previous time,
/// up to a minute. Any other status of the server, such as 404, is retried after a minute, because the list may be put
/// there later. The same applies to a refused redirect, an untrusted certificate and other responses that a captive
/// portal may have sent in place of the server. Each delay is randomized, so that many devices do not send their
/// requests at the same time.
struct FeedRetry {
  /// The result of an attempt.
  enum Outcome: Equatable {
    /// The current list of the server.
    case fresh
    /// The stored list, because the server cannot be reached.
    case stale
    case failed(ImageError)
  }

  enum Action: Equatable {
    /// No further request.
    case finish
    /// Send the request again after a number of seconds.
    case retry(after: Double)
    /// Stop, because another attempt would fail as well.
    case giveUp
  }

  static let longestPause = 60.0
  private var attempts = 0

  /// Returns the action after an attempt.
  ///
  /// - Parameter random: A random number from 0 to 1.
  mutating func next(after outcome: Outcome, random: Double) -> Action {
    switch outcome {
    case .fresh:
      attempts = 0
      return .finish
    case .failed(let error) where !Self.isRetryable(error):
      return Self.mayChange(error) ? Self.retry(Self.longestPause, random) : .giveUp
    case .stale, .failed:
      let pause = min(Self.longestPause, Double(1 << min(attempts, 10)))
      attempts += 1
      return Self.retry(pause, random)
    }
  }

  private static func retry(_ pause: Double, _ random: Double) -> Action {
    .retry(after: pause * (0.5 + 0.5 * random))
  }

  /// Returns true if the same request may succeed later, although not soon.
  private static func mayChange(_ error: ImageError) -> Bool {
    if case .status = error { true } else { error.traits.contains(.recoversWithResponse) }
  }

  /// Returns true if the error is retryable: the same request may soon succeed.
  private static func isRetryable(_ error: ImageError) -> Bool {
    switch error {
    // An HTML page instead of the list often comes from a captive portal or from a server that is starting.
    case .emptyBody, .invalidData: true
    // There is no other source of the list, so even a failure of the server or the proxy that may last is retried.
    case .status(500...), .proxyFailed: true
    // The application has cancelled all loads of the downloader; a feed itself cancels no request that it waits for.
    case .cancelledLoad: true
    // While the system clock is not set, every certificate seems to be expired or not yet valid.
    default: error.isRetryable || error.suggestsWrongClock
    }
  }
}
