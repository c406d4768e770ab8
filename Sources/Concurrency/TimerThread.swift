/// A thread that fires timers, and that runs only while a timer is set.
///
/// Timers of Dispatch are not used: after the first one, libdispatch of Swift 6.3.1 on Linux wakes the process each
/// second, and a program that shows a still image must not be woken at all.
package final class TimerThread: Sendable {
  package static let shared = TimerThread()

  private struct State {
    var timers: [(time: Int64, body: @Sendable () -> Void)] = []
    var isRunning = false

    var next: Int? { timers.indices.min { timers[$0].time < timers[$1].time } }
  }

  /// The next action of the thread.
  private enum Step {
    case fire(@Sendable () -> Void)
    /// No timer is set.
    case end
  }

  private let lock = ConditionLock(State())

  private init() {}

  /// Calls `body` at `time`, in nanoseconds of `SystemLoadingClock`.
  package func call(at time: Int64, _ body: @escaping @Sendable () -> Void) {
    let needsThread = lock.withLock(waking: .one) { state in
      state.timers.append((time, body))
      defer { state.isRunning = true }
      return !state.isRunning
    }
    if needsThread { BlockingThread.start { self.run() } }
  }

  private func run() {
    while true {
      let step = lock.wait { state -> Step? in
        guard let next = state.next else {
          state.isRunning = false
          return .end
        }
        guard Self.timeLeft(until: state.timers[next].time) <= 0 else { return nil }
        return .fire(state.timers.remove(at: next).body)
      } timeout: { state in
        state.next.map { Self.timeLeft(until: state.timers[$0].time) }
      }
      guard case .fire(let body) = step else { return }
      body()
    }
  }

  private static func timeLeft(until time: Int64) -> Int64 {
    time.subtractingReportingOverflow(SystemLoadingClock().now).partialValue
  }
}
