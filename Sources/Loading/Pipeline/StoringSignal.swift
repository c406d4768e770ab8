import Synchronization

/// Tells those who wait that bytes have been written to disk, or have not.
final class StoringSignal: Sendable {
  private struct State {
    var isKept: Bool?
    var waiting: [CheckedContinuation<Bool, Never>] = []
  }

  private let state = Mutex(State())

  /// The first word counts.
  func finish(_ isKept: Bool) {
    let waiting = state.withLock { state in
      if state.isKept == nil { state.isKept = isKept }
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume(returning: isKept) }
  }

  var isKept: Bool {
    get async {
      await withCheckedContinuation { continuation in
        let known = state.withLock { state in
          if state.isKept == nil { state.waiting.append(continuation) }
          return state.isKept
        }
        if let known { continuation.resume(returning: known) }
      }
    }
  }

  /// A picture that nobody came to keep.
  deinit { for continuation in state.withLock({ $0.waiting }) { continuation.resume(returning: false) } }
}
