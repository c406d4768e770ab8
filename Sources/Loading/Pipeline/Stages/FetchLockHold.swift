import Synchronization
import VitrineConcurrency

/// A fetch lock that this process holds. The lock is released by `release()`, or when the last reference is released.
///
/// The cache is called on a thread of its own, so that a disk that hangs delays neither the network nor a caller.
final class FetchLockHold: Sendable {
  /// The minimum number of seconds between two reports of progress.
  static let progressInterval = 1.0

  private struct State {
    var isReleased = false
    /// The earliest time of the next report, in nanoseconds; nil before the first bytes.
    var nextReport: Int64?
  }

  private let token: any FetchLockToken
  private let run: @Sendable (@escaping @Sendable () -> Void) -> Void
  private let state = Mutex(State())

  /// - Parameter run: Runs a function on a thread that may block. Called from any thread, possibly with a lock held.
  init(
    _ token: any FetchLockToken, running run: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
  ) {
    self.token = token
    self.run = run
  }

  deinit { release() }

  /// Releases the lock. A second call does nothing.
  func release() {
    let isFirst = state.withLock { state in
      defer { state.isReleased = true }
      return !state.isReleased
    }
    if isFirst { run { [token] in token.release() } }
  }

  /// Notes that bytes have arrived at `now`, in nanoseconds. Other processes learn of this once a second.
  func noteProgress(at now: Int64) {
    let isDue = state.withLock { state in
      guard !state.isReleased, now >= state.nextReport ?? .min else { return false }
      defer { state.nextReport = now.advanced(bySeconds: Self.progressInterval) }
      // A transfer that takes less than a second reports nothing.
      return state.nextReport != nil
    }
    if isDue { run { [token] in token.noteProgress() } }
  }
}
