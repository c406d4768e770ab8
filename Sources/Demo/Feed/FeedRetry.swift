import Vitrine

/// When a feed is asked for again. Decides only.
///
/// A failure that can heal, as a server that cannot be reached, is tried again after a second, then after twice as long each
/// time, up to a minute; each time varies, so that the panels of a building do not all come back at once.
nonisolated struct FeedRetry {
  /// What came of an attempt.
  enum Outcome: Equatable {
    /// The list as its server has it now.
    case fresh
    /// The list as it was kept, since its server cannot be reached.
    case stale
    case failed(ImageError)
  }

  enum Action: Equatable {
    /// Nothing more is to be done.
    case rest
    /// Ask again after so many seconds.
    case retry(after: Double)
    /// It would fail again.
    case giveUp
  }

  static let longestPause = 60.0
  private var attempts = 0

  /// - Parameter random: from 0 to 1.
  mutating func next(after outcome: Outcome, random: Double) -> Action {
    switch outcome {
    case .fresh:
      attempts = 0
      return .rest
    case .failed(let error) where !Self.canHeal(error): return .giveUp
    case .stale, .failed:
      let pause = min(Self.longestPause, Double(1 << min(attempts, 10)))
      attempts += 1
      return .retry(after: pause * (0.5 + 0.5 * random))
    }
  }

  /// Whether the same request may succeed later.
  static func canHeal(_ error: ImageError) -> Bool {
    switch error {
    case .transport, .timedOut, .proxyFailed, .emptyBody: true
    // A clock that is not set yet makes every certificate look expired, or not valid yet.
    case .untrustedServer(_, let cause, _): cause == .expired || cause == .notYetValid
    case .status(let status): [408, 425, 429].contains(status) || status >= 500
    default: false
    }
  }
}
