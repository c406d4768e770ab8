import Dispatch
import Synchronization

/// Something that happens once, on any thread, and that tests wait for.
final class Signal: Sendable {
  private struct State {
    var hasFired = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())
  private let group = DispatchGroup()

  init() { group.enter() }

  /// Lets everyone go on who waits now or later.
  func fire() {
    let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>]? in
      guard !state.hasFired else { return nil }
      state.hasFired = true
      return state.waiters
    }
    guard let waiters else { return }
    group.leave()
    for waiter in waiters { waiter.resume() }
  }

  func wait() async {
    await withCheckedContinuation { continuation in
      let hasFired = state.withLock { state in
        if !state.hasFired { state.waiters.append(continuation) }
        return state.hasFired
      }
      if hasFired { continuation.resume() }
    }
  }

  /// For threads that are not the pool's.
  func waitBlocking() { group.wait() }
}
