public import Glibc

/// State under a lock, with a condition: threads can wait for a change of the state. Waiting blocks the thread, so only
/// threads of the library may wait, and `exit` for a second.
///
/// `@unchecked Sendable` is safe because `state` is accessed only with the mutex held. The state is behind a pointer
/// for the reason given in `Shared`.
@usableFromInline
package final class ConditionLock<State>: @unchecked Sendable {
  @usableFromInline let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  @usableFromInline let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  @usableFromInline let state = UnsafeMutablePointer<State>.allocate(capacity: 1)

  package init(_ state: sending State) {
    self.state.initialize(to: state)
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
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
  @usableFromInline
  package enum Wakes { case none, one, all }

  /// Changes the state with the lock held, then wakes waiting threads.
  @inlinable package func withLock<Result>(
    waking wakes: Wakes = .all, _ change: (inout State) -> Result
  ) -> Result {
    pthread_mutex_lock(mutex)
    let result = change(&state.pointee)
    pthread_mutex_unlock(mutex)
    wake(wakes)
    return result
  }

  /// Blocks the calling thread until `take` returns a value, and returns that value. Then wakes another thread if
  /// `isMore` returns true.
  ///
  /// `take` is called after each change that wakes the thread, and also when `timeout` nanoseconds have passed. The
  /// wait has no timeout while `timeout` returns `nil`.
  @inlinable package func wait<Result>(
    until take: (inout State) -> Result?, wakingOneIf isMore: (State) -> Bool = { _ in false },
    timeout: (State) -> Int64? = { _ in nil }
  ) -> Result {
    pthread_mutex_lock(mutex)
    while true {
      if let result = take(&state.pointee) {
        let isMore = isMore(state.pointee)
        pthread_mutex_unlock(mutex)
        if isMore { wake(.one) }
        return result
      }
      if let nanoseconds = timeout(state.pointee) {
        sleep(nanoseconds)
      } else {
        pthread_cond_wait(condition, mutex)
      }
    }
  }

  /// Waits for a signal, or for this time, but for an hour at most, because an hour always fits a `timespec`.
  @usableFromInline func sleep(_ nanoseconds: Int64) {
    var end = timespec()
    clock_gettime(CLOCK_MONOTONIC, &end)
    let sum = Int64(end.tv_nsec) + max(0, min(nanoseconds, 3_600_000_000_000))
    end.tv_sec += Int(sum / 1_000_000_000)
    end.tv_nsec = Int(sum % 1_000_000_000)
    pthread_cond_timedwait(condition, mutex, &end)
  }

  /// Wakes waiting threads. Called without the lock, which a woken thread needs at once.
  @inlinable package func wake(_ wakes: Wakes) {
    switch wakes {
    case .none: break
    case .one: pthread_cond_signal(condition)
    case .all: pthread_cond_broadcast(condition)
    }
  }
}
