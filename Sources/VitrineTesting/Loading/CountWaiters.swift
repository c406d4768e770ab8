import Synchronization

/// Tasks that wait until something has been counted often enough. One whose task is cancelled, as by a test's
/// time limit, is let go, so that a test fails rather than hangs.
final class CountWaiters: Sendable {
  private struct State {
    var count = 0
    var lastID = 0
    var waiting: [Int: (count: Int, continuation: CheckedContinuation<Void, Never>)] = [:]

    /// Takes those out who have waited long enough.
    mutating func takeReady() -> [CheckedContinuation<Void, Never>] {
      let ready = waiting.filter { $0.value.count <= count }
      for id in ready.keys { waiting[id] = nil }
      return ready.values.map(\.continuation)
    }
  }

  private let state = Mutex(State())

  func set(_ count: Int) {
    let ready = state.withLock { state in
      state.count = count
      return state.takeReady()
    }
    for continuation in ready { continuation.resume() }
  }

  func wait(for count: Int) async {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let ready = state.withLock { state in
          state.waiting[id] = (Task.isCancelled ? 0 : count, continuation)
          return state.takeReady()
        }
        for continuation in ready { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: id) }?.continuation.resume()
    }
  }
}
