import Synchronization
public import VitrineConcurrency

/// A clock that a test advances by hand, for `ImageDownloader.Configuration.environment.clock`.
///
/// ```swift
/// let clock = ManualLoadingClock()
/// configuration.environment.clock = clock
/// // … a download fails
/// clock.advance(by: 1)  // its retry starts inside this call
/// ```
public final class ManualLoadingClock: LoadingClock {
  private struct State {
    var now: Int64
    var wakes: [(time: Int64, body: @Sendable () -> Void)] = []

    mutating func takeNext(until time: Int64) -> (@Sendable () -> Void)? {
      guard let next = wakes.indices.min(by: { wakes[$0].time < wakes[$1].time }), wakes[next].time <= time
      else {
        now = max(now, time)
        return nil
      }
      now = max(now, wakes[next].time)
      return wakes.remove(at: next).body
    }
  }

  private let state: Mutex<State>

  /// Creates a clock that shows `now` nanoseconds.
  public init(now: Int64 = 0) { state = Mutex(State(now: now)) }

  /// The current time in nanoseconds.
  public var now: Int64 { state.withLock { $0.now } }

  /// The times at which functions are scheduled, the earliest first.
  package var wakes: [Int64] { state.withLock { $0.wakes.map(\.time).sorted() } }

  /// Schedules a function, which `advance(by:)` calls when the time has come.
  public func wake(at time: Int64, _ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.wakes.append((time, body)) }
  }

  /// Advances the time by `seconds`. Calls the functions that are due before it returns, in the order of their times,
  /// with the clock set to the time of each.
  public func advance(by seconds: Double) {
    let time = state.withLock { $0.now } + Int64((seconds * 1e9).rounded())
    while let body = state.withLock({ $0.takeNext(until: time) }) { body() }
  }
}
