import Synchronization

/// Suspends tasks until a counter reaches the value that each waits for. A cancelled task, for example after a test's
/// time limit, stops waiting, so that the test fails instead of hanging.
final class CountWaiters: Sendable {
  private struct State {
    var count = 0
    var lastID = 0
    var waiting: [Int: (count: Int, continuation: CheckedContinuation<Void, Never>)] = [:]

    /// Removes and returns the continuations of the tasks whose count has been reached.
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
