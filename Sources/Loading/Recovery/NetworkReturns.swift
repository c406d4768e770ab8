import VitrineConcurrency

/// Limits how often the return of the network is acted upon, because an unstable interface reports many returns. Times
/// are in nanoseconds.
struct NetworkReturns {
  /// The minimum time between two returns that are acted upon, in seconds.
  static let interval = 2.0

  enum Step: Equatable {
    /// Act upon the return now.
    case act
    /// Call `woken(at:)` at this time.
    case wait(until: Int64)
    /// An earlier call of `woken(at:)` will act upon the return.
    case join
  }

  private var next = Int64.min
  private var isWaiting = false

  mutating func reported(at now: Int64) -> Step {
    if now >= next {
      act(at: now)
      return .act
    }
    if isWaiting { return .join }
    isWaiting = true
    return .wait(until: next)
  }

  /// Returns true if a return that was reported meanwhile is to be acted upon now.
  mutating func woken(at now: Int64) -> Bool {
    guard isWaiting else { return false }
    act(at: now)
    return true
  }

  private mutating func act(at now: Int64) {
    next = now.advanced(bySeconds: Self.interval)
    isWaiting = false
  }
}
