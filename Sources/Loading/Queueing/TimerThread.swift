import Glibc
import VitrineGraphics

/// A thread that fires timers, and that runs only while a timer is set.
///
/// Timers of Dispatch are not used: after the first one, libdispatch of Swift 6.3.1 on Linux wakes the process each
/// second, and a program that shows a still image must not be woken at all.
///
/// `@unchecked Sendable` is safe because `wakes` and `isRunning` are accessed only with the mutex held.
final class TimerThread: @unchecked Sendable {
  static let shared = TimerThread()

  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var wakes: [(time: Int64, body: @Sendable () -> Void)] = []
  private var isRunning = false

  private init() {
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  /// Calls `body` at `time`, in nanoseconds of `Trace.systemTime`.
  func call(at time: Int64, _ body: @escaping @Sendable () -> Void) {
    pthread_mutex_lock(mutex)
    wakes.append((time, body))
    let needsThread = !isRunning
    isRunning = true
    pthread_cond_signal(condition)
    pthread_mutex_unlock(mutex)
    if needsThread { BlockingThread.start { self.run() } }
  }

  private func run() {
    pthread_mutex_lock(mutex)
    while let next = wakes.indices.min(by: { wakes[$0].time < wakes[$1].time }) {
      let left = wakes[next].time.subtractingReportingOverflow(Trace.systemTime()).partialValue
      guard left <= 0 else {
        wait(nanoseconds: left)
        continue
      }
      let body = wakes.remove(at: next).body
      pthread_mutex_unlock(mutex)
      body()
      pthread_mutex_lock(mutex)
    }
    isRunning = false
    pthread_mutex_unlock(mutex)
  }

  /// Waits until `call` signals, or for this time, but for an hour at most: `run` then checks the time again.
  private func wait(nanoseconds: Int64) {
    var until = timespec()
    clock_gettime(CLOCK_MONOTONIC, &until)
    // An hour of nanoseconds does not fit into 32 bits.
    let sum = Int64(until.tv_nsec) + min(nanoseconds, 3_600_000_000_000)
    until.tv_sec += Int(sum / 1_000_000_000)
    until.tv_nsec = Int(sum % 1_000_000_000)
    pthread_cond_timedwait(condition, mutex, &until)
  }
}
