import Glibc

/// State under a lock that a thread can also wait for: for threads of one's own only, since waiting blocks.
///
/// `@unchecked Sendable` because `state` is touched with the mutex held only; a pointer as in `Shared`.
package final class Monitor<State>: @unchecked Sendable {
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

  /// Whom a change concerns, of those who wait. To wake a thread that goes to sleep again costs two changes of threads.
  package enum Wakes {
    case nobody, one, all
  }

  /// Changes the state and wakes those who wait for it.
  package func withLock<Result>(waking wakes: Wakes = .all, _ change: (inout State) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    let result = change(&state.pointee)
    pthread_mutex_unlock(mutex)
    wake(wakes)
    return result
  }

  /// Blocks the calling thread until `take` has an answer; then wakes another one if there is something for it too.
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

  /// Without the lock, which whoever wakes needs at once.
  private func wake(_ wakes: Wakes) {
    switch wakes {
    case .nobody: break
    case .one: pthread_cond_signal(condition)
    case .all: pthread_cond_broadcast(condition)
    }
  }
}
