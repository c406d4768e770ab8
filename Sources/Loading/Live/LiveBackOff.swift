/// The delays before a live stream connects again.
struct LiveBackOff: Hashable, Sendable {
  /// The maximum number of seconds before another attempt after a failure that may soon pass.
  static let maximumDelay = 30.0
  /// The number of seconds before another attempt after an error that stays, such as 401, 403 and 404.
  static let slowDelay = 60.0
  /// The maximum number of seconds for which the stream follows the `Retry-After` of a server.
  static let maximumRetryAfter = 3600.0

  /// The number of failures since the last frame that was decoded.
  private(set) var failures = 0

  /// Counts a failure and returns the number of seconds until the next attempt: 1, 2, 4, … 30. `error` is `nil` if the
  /// server has ended the response.
  mutating func delay(after error: ImageError?, retryAfter: Double?) -> Double {
    if failures < 62 { failures += 1 }
    let isShort = error?.isRetryable ?? true
    let delay = isShort ? min(Double(1 << (failures - 1)), Self.maximumDelay) : Self.slowDelay
    return max(delay, min(retryAfter ?? 0, Self.maximumRetryAfter))
  }

  /// Forgets the failures, because a frame was decoded or the network has returned.
  mutating func reset() { failures = 0 }

  /// Returns true if another attempt would fail as well, at any time.
  static func isFinal(_ error: ImageError) -> Bool {
    switch error {
    case .invalidURL, .unsupportedScheme, .notConfigured, .shutDown: true
    default: false
    }
  }
}
