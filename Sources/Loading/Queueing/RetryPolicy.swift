/// How often and when a download is tried again that failed for what may be over soon.
///
/// ```swift
/// configuration.retries = RetryPolicy(limit: 5, delay: 1)
/// configuration.retries = .none
/// ```
///
/// Tried again are connections that failed, broke or took too long, and the statuses 408, 425, 429, 500, 502, 503 and
/// 504; never what would fail again (404, not an image, a refused certificate, a limit), and nothing on this machine.
/// Before the n-th retry passes a random time between half and all of `delay * 2^(n-1)`, so that clients of a server
/// that went down do not all come back at once; where the server says `Retry-After` (RFC 9110, 10.2.3) no less than
/// that. A server that wants to be left alone for longer than `maximumDelay` is taken at its word, and the load fails.
public struct RetryPolicy: Hashable, Sendable {
  /// Retries of one download, the first try not counted; with 0 or less none.
  public var limit: Int
  /// Seconds before the first retry, at most.
  public var delay: Double
  /// Seconds before any retry, at most.
  public var maximumDelay: Double

  /// Two retries, after about half a second and a second; at most a minute is waited.
  public init(limit: Int = 2, delay: Double = 0.5, maximumDelay: Double = 60) {
    self.limit = limit
    self.delay = delay
    self.maximumDelay = maximumDelay
  }

  /// Every failure is the end.
  public static let none = RetryPolicy(limit: 0)

  /// Seconds until the next try; nil for no further one.
  ///
  /// - Parameters:
  ///   - retries: made so far.
  ///   - retryAfter: seconds that the server has asked for.
  ///   - random: from 0 to 1.
  func delay(beforeRetry retries: Int, of error: ImageError, retryAfter: Double?, random: Double) -> Double? {
    guard retries < limit, error.mayHeal else { return nil }
    if let retryAfter, !(retryAfter <= maximumDelay) { return nil }
    let longest = min(max(0, delay) * Double(1 << min(retries, 30)), max(0, maximumDelay))
    return max(longest * (0.5 + 0.5 * random), retryAfter ?? 0)
  }
}

extension ImageError {
  /// Whether the same request may succeed if it is sent again soon.
  var mayHeal: Bool {
    switch self {
    // Permanent curl errors: a malformed URL or header, an aborting receiver, an option that this libcurl lacks, an
    // encoding that was not requested. A lack of memory, threads or descriptors (27) may end.
    case .transport(let code, _): ![1, 3, 4, 23, 43, 48, 61].contains(code)
    case .timedOut: true
    // It could not be reached, or could not reach the server; not one that wants other credentials.
    case .proxyFailed(let status, _): status.map { [502, 503, 504].contains($0) } ?? true
    case .status(let status): [408, 425, 429, 500, 502, 503, 504].contains(status)
    default: false
    }
  }
}
