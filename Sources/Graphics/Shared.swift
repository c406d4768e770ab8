import Glibc

/// State under a lock that more threads may want at once than the machine has cores.
///
/// `Synchronization.Mutex` is faster where a lock is mostly free. Where it is not, its Linux implementation hands it from
/// thread to thread in turn (`FUTEX_LOCK_PI`), each time with a change of threads: eight threads on two cores took 17 µs a turn,
/// 0.02 µs with this.
///
/// `@unchecked Sendable` because `value` is touched with the mutex held only, by one at a time, which need not be checked
/// once more at run time: hence a pointer.
package final class Shared<Value>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)

  package init(_ value: sending Value) {
    self.value.initialize(to: value)
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
    value.deinitialize(count: 1)
    value.deallocate()
  }

  package func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value.pointee)
  }
}
