/// Decides when a feed is loaded again: at an interval while all is well, and as `FeedRetry` says after a failure.
struct FeedSchedule {
  /// The next load of a feed.
  struct Next: Equatable {
    /// The number of seconds until the next load; `nil` for none.
    var seconds: Double?
    /// True if the next load is a retry after a failure.
    var isRetry = false
    /// True if another attempt would fail as well.
    var isGivenUp = false
  }

  /// The fraction by which an interval is randomized in both directions, so that many devices that were started at the
  /// same time do not send their requests at the same time.
  static let jitter = 0.1
  /// The maximum time in seconds for which the lifetime that a server states delays the next request.
  static let longestLifetime = 86_400.0
  /// The minimum interval in seconds.
  static let shortestInterval = 1.0

  /// The interval in seconds; `nil` loads the feed again only after a failure.
  private(set) var interval: Double?
  private var retry = FeedRetry()

  /// Sets the interval. A value that is not a number, not finite or not above 0 removes the interval.
  mutating func setInterval(_ seconds: Double?) {
    interval = seconds.flatMap { $0 > 0 && $0.isFinite ? max($0, Self.shortestInterval) : nil }
  }

  /// Starts the series of retries again, because the cause of the failures may be over.
  mutating func restart() { retry = FeedRetry() }

  /// Returns the next load after an attempt.
  ///
  /// - Parameters:
  ///   - lifetime: The number of seconds for which the list does not change, as its server has stated. The list is not
  ///     requested earlier; the interval alone never makes requests more frequent.
  ///   - pause: The number of seconds for which the server has asked for no requests, extended at random by `Recovery`.
  ///   - random: A random number from 0 to 1.
  mutating func next(
    after outcome: FeedRetry.Outcome, lifetime: Double = 0, pause: Double = 0, random: Double
  ) -> Next {
    let earliest = max(0, pause)
    switch retry.next(after: outcome, random: random) {
    case .finish:
      // All devices may have received the same lifetime, which must not be shortened.
      let lifetime = min(max(0, lifetime), Self.longestLifetime) * (1 + Self.jitter * random)
      return Next(seconds: update(random).map { max($0, lifetime, earliest) })
    case .retry(let seconds): return Next(seconds: max(seconds, earliest), isRetry: true)
    case .giveUp:
      if outcome == .failed(.shutDown) { return Next(isGivenUp: true) }
      return Next(seconds: update(random).map { max($0, earliest) }, isGivenUp: true)
    }
  }

  /// Returns the number of seconds until the next update; `nil` without an interval.
  func update(_ random: Double) -> Double? {
    interval.map { $0 * (1 - Self.jitter + 2 * Self.jitter * random) }
  }
}
