import Glibc

/// State under a lock, with a condition: threads can wait for a change of the state. Waiting blocks the thread, so only
/// threads of the library may wait.
///
/// `@unchecked Sendable` is safe because `state` is accessed only with the mutex held. The state is behind a pointer
/// for the reason given in `Shared`.
package final class ConditionLock<State>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private let state = UnsafeMutablePointer<State>.allocate(capacity: 1)

  package init(_ state: sending State) {
    self.state.initialize(to: state)
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// The waiting threads that a change wakes. A thread that wakes for nothing costs two context switches.
  package enum Wakes {
    case none, one, all
  }

  /// Changes the state with the lock held, then wakes waiting threads.
  package func withLock<Result>(waking wakes: Wakes = .all, _ change: (inout State) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    let result = change(&state.pointee)
    pthread_mutex_unlock(mutex)
    wake(wakes)
    return result
  }

  /// Blocks the calling thread until `take` returns a value, and returns that value. Then wakes another thread if
  /// `isMore` returns true.
  package func wait<Result>(
    until take: (inout State) -> Result?, wakingOneIf isMore: (State) -> Bool = { _ in false }
  ) -> Result {
    pthread_mutex_lock(mutex)
    while true {
      if let result = take(&state.pointee) {
        let isMore = isMore(state.pointee)
        pthread_mutex_unlock(mutex)
        if isMore { wake(.one) }
        return result
      }
      pthread_cond_wait(condition, mutex)
    }
  }

  /// Wakes waiting threads. Called without the lock, which a woken thread needs at once.
  private func wake(_ wakes: Wakes) {
    switch wakes {
    case .none: break
    case .one: pthread_cond_signal(condition)
    case .all: pthread_cond_broadcast(condition)
    }
  }
}
