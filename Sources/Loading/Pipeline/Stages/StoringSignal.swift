import Synchronization

/// A signal that a response has been written to disk, or has not.
final class StoringSignal: Sendable {
  private struct State {
    var isKept: Bool?
    var body: BodyDigest?
    var waiting: [CheckedContinuation<Bool, Never>] = []
  }

  private let state = Mutex(State())

  /// The digest of the body that was written; `nil` if it is not known, or nothing was written.
  var storedBody: BodyDigest? { state.withLock { $0.body } }

  /// Notes the digest of the body that was written.
  func noteStoredBody(_ digest: BodyDigest?) { state.withLock { $0.body = digest } }

  /// Resumes the waiting tasks. Only the first call sets the result.
  func finish(_ isKept: Bool) {
    let waiting = state.withLock { state in
      if state.isKept == nil { state.isKept = isKept }
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume(returning: isKept) }
  }

  /// True if the response was written. Suspends the calling task until the result is known.
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

  /// Resumes the waiting tasks with false if the response was never stored.
  deinit { for continuation in state.withLock({ $0.waiting }) { continuation.resume(returning: false) } }
}
