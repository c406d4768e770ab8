/// The attempts of a fetch so far. Times are in nanoseconds.
struct Attempts {
  /// The time at which a caller first requested the bytes.
  let queued: Int64
  /// The number of retries after retryable failures.
  var retries = 0
  /// True if the fetch has started again without a range or a condition, because the response to such a request was
  /// unusable.
  var hasRestarted = false
  var firstStart: Int64?
  /// The start of the current attempt; `nil` between two attempts.
  var began: Int64?
  /// The duration of all earlier attempts in seconds. The delays between attempts do not count.
  var spent = 0.0
  /// The time before which the next attempt does not start.
  var earliest = Int64.min

  /// The number of seconds between the request and the first attempt; 0 before the first attempt.
  var secondsQueued: Double { firstStart.map { Double($0 &- queued) / 1e9 } ?? 0 }

  mutating func begin(at now: Int64) {
    began = now
    firstStart = firstStart ?? now
  }

  /// - Parameter paused: The number of seconds for which the transfer waited for memory, which do not count.
  mutating func end(at now: Int64, paused: Double = 0) {
    if let began { spent += max(0, Double(now &- began) / 1e9 - paused) }
    began = nil
  }
}
