import Glibc
import VitrineGraphics

/// Calls at times, from a thread that lives while there is one to come.
///
/// Not Dispatch's: once one of its timers has been set, it wakes the process each second for ever (libdispatch of Swift
/// 6.3.1 on Linux), and a program that shows a still picture is not to be woken at all.
///
/// `@unchecked Sendable` because `wakes` and `isRunning` are touched with the mutex held only.
final class WakeThread: @unchecked Sendable {
  static let shared = WakeThread()

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

  /// Calls `body` at `time`, by `Trace.systemTime`.
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

  /// Until somebody calls, or so long; an hour at most, as after each the time is looked at again.
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
