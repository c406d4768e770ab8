import Synchronization

/// A lock for tasks, granted in the order of arrival.
///
/// A waiting task leaves the queue when it is cancelled or its time limit passes.
package final class Turns: Sendable {
  /// The reason why a wait ended.
  private enum WaitEnd { case turn, cancelled, timeLimit }

  private struct State {
    var isTaken = false
    var lastNumber = 0
    var waiting: [(number: Int, continuation: CheckedContinuation<WaitEnd, Never>)] = []
  }

  private let state = Mutex(State())

  /// Creates a lock that no task holds.
  package init() {}

  /// Waits for the turn, which lasts until `end()`.
  ///
  /// - Parameter seconds: The real time in seconds after which the wait throws a `WaitFailure`, for example because
  ///   another test never ends its turn. The wait also throws when the calling task is cancelled.
  package func begin(
    within seconds: Double = 600, file: StaticString = #fileID, line: Int = #line
  ) async throws(WaitFailure) {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    let limit = Task {
      try await Task.sleep(for: .seconds(seconds))
      endWait(number, .timeLimit)
    }
    defer { limit.cancel() }
    let end = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let end = state.withLock { state -> WaitEnd? in
          if Task.isCancelled { return .cancelled }
          guard state.isTaken else {
            state.isTaken = true
            return .turn
          }
          state.waiting.append((number, continuation))
          return nil
        }
        if let end { continuation.resume(returning: end) }
      }
    } onCancel: {
      endWait(number, .cancelled)
    }
    switch end {
    case .turn: return
    case .cancelled: throw WaitFailure(location: "\(file):\(line)", reason: "the task was cancelled")
    case .timeLimit: throw WaitFailure(location: "\(file):\(line)", reason: "\(seconds) s have passed")
    }
  }

  /// Ends a wait without a turn. Does nothing for a task that has had its turn.
  private func endWait(_ number: Int, _ end: WaitEnd) {
    let continuation = state.withLock { state in
      state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0).continuation }
    }
    continuation?.resume(returning: end)
  }

  /// Passes the turn to the task that has waited longest.
  package func end() {
    let next = state.withLock { state -> CheckedContinuation<WaitEnd, Never>? in
      guard !state.waiting.isEmpty else {
        state.isTaken = false
        return nil
      }
      return state.waiting.removeFirst().continuation
    }
    next?.resume(returning: .turn)
  }
}
