import Synchronization
import VitrineConcurrency

/// Tells other processes once a second that this process waits for servers, as long as transfers that hold a fetch lock
/// have no response. A server may take longer for its response than other processes wait for a process that is stopped.
final class FetchLockHeartbeat: Sendable {
  private struct State {
    var tokens: [ObjectIdentifier: any FetchLockToken] = [:]
    /// True if `beat` will be called.
    var isScheduled = false
    /// True while a report is under way: the disk may hang.
    var isReporting = false
  }

  private let clock: any LoadingClock
  private let run: @Sendable (@escaping @Sendable () -> Void) -> Void
  private let state = Mutex(State())

  /// - Parameter run: Runs a function on a thread that may block.
  init(_ clock: any LoadingClock, running run: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
    self.clock = clock
    self.run = run
  }

  /// Begins to report that the transfer of a lock waits for its server.
  func add(_ token: any FetchLockToken) {
    let isFirst = state.withLock { state in
      state.tokens[ObjectIdentifier(token)] = token
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if isFirst { schedule() }
  }

  /// Ends the reports for a lock, because its response has come, or because it is released.
  func remove(_ token: any FetchLockToken) {
    _ = state.withLock { $0.tokens.removeValue(forKey: ObjectIdentifier(token)) }
  }

  private func schedule() {
    clock.wake(at: clock.now.advanced(bySeconds: FetchLockHold.reportInterval)) { [weak self] in
      self?.beat()
    }
  }

  private func beat() {
    let tokens = state.withLock { state -> [any FetchLockToken]? in
      state.isScheduled = !state.tokens.isEmpty
      guard state.isScheduled else { return nil }
      guard !state.isReporting else { return [] }
      state.isReporting = true
      return Array(state.tokens.values)
    }
    guard let tokens else { return }
    if !tokens.isEmpty {
      run { [self] in
        for token in tokens { token.noteWaiting() }
        state.withLock { $0.isReporting = false }
      }
    }
    schedule()
  }
}
