import Glibc

/// Delays the wake-ups of worker threads while a thread handles several events, such as the ends of transfers.
///
/// A worker that is woken for the first event takes locks that the thread needs for the next one. Waiting for these
/// locks, and waking a worker for each event, took a fifth of the time of small downloads.
package enum WakeBatch {
  /// The wake-ups that a thread has delayed.
  private final class Delayed {
    var pools: [WorkerPool] = []
    var jobs = 0
  }

  /// The number of jobs after which threads are woken nevertheless, so that at most this many wait.
  static let limit = 8

  /// The key of a thread's delayed wake-ups; `nil` if the process has no key left.
  private static let key: pthread_key_t? = {
    var key = pthread_key_t()
    return pthread_key_create(&key, nil) == 0 ? key : nil
  }()

  /// Calls `body`. Pools to which `body` submits jobs on this thread are woken when `body` returns, so `body` must not
  /// wait for these jobs.
  package static func run(_ body: () -> Void) {
    guard let key, pthread_getspecific(key) == nil else { return body() }
    let delayed = Delayed()
    withExtendedLifetime(delayed) {
      pthread_setspecific(key, Unmanaged.passUnretained(delayed).toOpaque())
      body()
      pthread_setspecific(key, nil)
    }
    wake(delayed)
  }

  /// Delays the wake-up for a job that was submitted to a pool. Returns false outside of `run`; the caller then wakes
  /// a thread.
  static func delayWake(of pool: WorkerPool) -> Bool {
    guard let key, let pointer = pthread_getspecific(key) else { return false }
    let delayed = Unmanaged<Delayed>.fromOpaque(pointer).takeUnretainedValue()
    if !delayed.pools.contains(where: { $0 === pool }) { delayed.pools.append(pool) }
    delayed.jobs += 1
    if delayed.jobs >= limit { wake(delayed) }
    return true
  }

  private static func wake(_ delayed: Delayed) {
    for pool in delayed.pools { pool.wakeThread() }
    (delayed.pools, delayed.jobs) = ([], 0)
  }
}
