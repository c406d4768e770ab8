import Dispatch
import Synchronization

/// A one-shot event that any thread fires and tests wait for.
final class Signal: Sendable {
  private struct State {
    var hasFired = false
    /// True once a wait was cancelled.
    var isGivenUp = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())
  private let group = DispatchGroup()

  init() { group.enter() }

  /// Resumes all current and future waiters.
  func fire() {
    let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>]? in
      guard !state.hasFired else { return nil }
      state.hasFired = true
      // A cancellation that comes before a waiter has run would resume the waiter again.
      defer { state.waiters = [] }
      return state.waiters
    }
    guard let waiters else { return }
    group.leave()
    for waiter in waiters { waiter.resume() }
  }

  /// Waits for the signal, or until the test's time limit expires.
  func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          let isOver = state.hasFired || state.isGivenUp
          if !isOver { state.waiters.append(continuation) }
          return isOver
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      let waiters = state.withLock { state in
        defer { state.waiters = [] }
        state.isGivenUp = true
        return state.waiters
      }
      for waiter in waiters { waiter.resume() }
    }
  }

  /// Blocks until the signal fires. Must not be called on a thread of the concurrency pool.
  func waitBlocking() { group.wait() }
}
