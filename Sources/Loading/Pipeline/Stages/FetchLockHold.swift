import Synchronization
import VitrineConcurrency

/// A fetch lock that this process holds. The lock is released by `release()`, or when the last reference is released.
///
/// The cache is called on a thread of its own, so that a disk that hangs delays neither the network nor a caller.
final class FetchLockHold: Sendable {
  /// The minimum number of seconds between two reports to other processes.
  static let reportInterval = 1.0

  private struct State {
    var isReleased = false
    /// True from the start of the transfer to the response.
    var awaitsResponse = false
    /// The earliest time of the next report of progress, in nanoseconds; nil before the start of the transfer.
    var nextReport: Int64?
  }

  private let token: any FetchLockToken
  private let heartbeat: FetchLockHeartbeat?
  private let run: @Sendable (@escaping @Sendable () -> Void) -> Void
  private let state = Mutex(State())

  /// - Parameters:
  ///   - heartbeat: Tells other processes that this one waits for its server.
  ///   - run: Runs a function on a thread that may block. Called from any thread, possibly with a lock held.
  init(
    _ token: any FetchLockToken, _ heartbeat: FetchLockHeartbeat? = nil,
    running run: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
  ) {
    self.token = token
    self.heartbeat = heartbeat
    self.run = run
  }

  deinit { release() }

  /// Releases the lock. A second call does nothing.
  func release() {
    let (isFirst, awaitedResponse) = state.withLock { state in
      defer { (state.isReleased, state.awaitsResponse) = (true, false) }
      return (!state.isReleased, state.awaitsResponse)
    }
    if awaitedResponse { heartbeat?.remove(token) }
    if isFirst { run { [token] in token.release() } }
  }

  /// Notes that the transfer starts at `now`, in nanoseconds. Until its response comes, other processes learn once a
  /// second that this process waits for the server.
  func transferBegins(at now: Int64) {
    let isFirst = state.withLock { state in
      guard !state.isReleased, state.nextReport == nil else { return false }
      state.nextReport = now.advanced(bySeconds: Self.reportInterval)
      state.awaitsResponse = true
      return true
    }
    if isFirst { heartbeat?.add(token) }
  }

  /// Notes that a response or bytes have arrived at `now`, in nanoseconds. Other processes learn of this once a second; a
  /// transfer that takes less than a second reports nothing.
  func noteProgress(at now: Int64) {
    let (isDue, awaitedResponse) = state.withLock { state in
      let awaitedResponse = state.awaitsResponse
      state.awaitsResponse = false
      guard !state.isReleased, let next = state.nextReport, now >= next else {
        return (false, awaitedResponse)
      }
      state.nextReport = now.advanced(bySeconds: Self.reportInterval)
      return (true, awaitedResponse)
    }
    if awaitedResponse { heartbeat?.remove(token) }
    if isDue { run { [token] in token.noteProgress() } }
  }
}
