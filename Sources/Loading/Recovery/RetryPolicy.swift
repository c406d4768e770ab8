/// The number and the delays of the retries of a download that has failed with a retryable error.
///
/// ```swift
/// configuration.retries = RetryPolicy(limit: 5, delay: 1)
/// configuration.retries = .none
/// ```
///
/// Connections that failed, broke or timed out are retried, and so are the statuses 408, 425, 429 and 5xx except 501,
/// 505, 506, 508 and 510. Permanent errors (404, not an image, a refused certificate, a limit) and reads on this machine
/// are not retried.
///
/// The delay before the n-th retry is a random time between half and all of `delay * 2^(n-1)`, so that clients of a
/// server that was down do not all return at once. It is at least the `Retry-After` of the server (RFC 9110, 10.2.3),
/// which is extended by up to a tenth at random. If `Retry-After` exceeds `maximumDelay`, the load fails instead.
public struct RetryPolicy: Hashable, Sendable {
  /// The maximum number of retries of one download, without the first attempt; 2 by default. 0 and negative values mean
  /// none.
  public var limit: Int
  /// The maximum number of seconds before the first retry; 0.5 by default.
  public var delay: Double
  /// The maximum number of seconds before any retry; 60 by default.
  public var maximumDelay: Double

  /// Creates a policy; by default, two retries after at most half a second and one second.
  public init(limit: Int = 2, delay: Double = 0.5, maximumDelay: Double = 60) {
    self.limit = limit
    self.delay = delay
    self.maximumDelay = maximumDelay
  }

  /// A policy without retries.
  public static let none = RetryPolicy(limit: 0)

  /// Returns the number of seconds until the next attempt; nil if the download is not retried.
  ///
  /// - Parameters:
  ///   - retries: The number of retries so far.
  ///   - retryAfter: The number of seconds for which the server has asked; nil if it has not.
  ///   - random: A number from 0 to 1.
  func delay(beforeRetry retries: Int, of error: ImageError, retryAfter: Double?, random: Double) -> Double? {
    guard retries < limit, error.isRetryable else { return nil }
    if let retryAfter, !(retryAfter <= maximumDelay) { return nil }
    let longestDelay = min(max(0, delay) * Double(1 << min(retries, 30)), max(0, maximumDelay))
    return max(longestDelay * (0.5 + 0.5 * random), Jitter.extended(retryAfter ?? 0, by: random))
  }
}
