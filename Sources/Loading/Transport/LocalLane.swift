import Synchronization
import VitrineConcurrency

/// The thread that reads local files one after another. Each call that may block has a time limit: when it expires, the
/// file fails, and another thread replaces the blocked one for the following files. A file that hangs blocks one
/// thread, however often it is requested.
final class LocalLane: Sendable {
  /// The maximum number of blocked threads. When it is reached, all reads fail at once until one of them returns.
  static let maximumBlockedThreads = 4

  /// A file to read.
  struct Job: Sendable {
    /// The path of the file. Files with the path of a blocked read fail at once until that read returns.
    let path: String
    /// The number of seconds for which one call may block.
    let limit: Double
    /// Reads the file on the lane's thread. The argument is the job's number for `blocking`.
    let read: @Sendable (UInt64) -> Void
    /// Called once if the job is abandoned, in place of the end of `read`.
    let abandon: @Sendable () -> Void
  }

  private struct State {
    var pool = WorkerPool(threads: 1)
    var lastNumber: UInt64 = 0
    var waiting: [UInt64: Job] = [:]
    var running: (number: UInt64, job: Job)?
    /// The time at which the running call of the job exceeds the limit; nil outside of calls that may block.
    var callDeadline: Int64?
    /// The blocked jobs, with the paths of their files.
    var hanging: [UInt64: String] = [:]
    /// The time of the next check of the lane.
    var nextWake = NextWake()

    var isBlocked: Bool { hanging.count >= LocalLane.maximumBlockedThreads }

    func refuses(_ job: Job) -> Bool { isBlocked || hanging.values.contains(job.path) }
  }

  private let state = Mutex(State())
  private let clock: any LoadingClock

  init(clock: any LoadingClock) { self.clock = clock }

  func submit(_ job: Job) {
    let isAccepted = state.withLock { state in
      guard !state.refuses(job) else { return false }
      state.lastNumber += 1
      state.waiting[state.lastNumber] = job
      submit(state.lastNumber, to: state.pool)
      return true
    }
    if !isAccepted { job.abandon() }
  }

  private func submit(_ number: UInt64, to pool: WorkerPool) {
    pool.submit(number) { [self] in
      let job = state.withLock { state in
        let job = state.waiting.removeValue(forKey: number)
        state.running = job.map { (number, $0) }
        return job
      }
      job?.read(number)
      state.withLock { state in
        if state.hanging.removeValue(forKey: number) == nil, state.running?.number == number {
          state.running = nil
        }
      }
    }
  }

  /// Makes a call that may block, within a job. Returns nil if the job was abandoned in the meantime; the job must then
  /// report nothing more.
  func blocking<Result>(_ number: UInt64, _ call: () -> Result) -> Result? {
    let now = clock.now
    let wake = state.withLock { state -> Int64? in
      guard let running = state.running, running.number == number else { return nil }
      let end = now.advanced(bySeconds: max(0, running.job.limit))
      state.callDeadline = end
      // A check for an earlier job with a longer limit may be scheduled at a later time.
      return state.nextWake.schedule(at: end) ? end : nil
    }
    if let wake { wakeUp(at: wake) }
    let result = call()
    let isCurrent = state.withLock { state in
      guard state.running?.number == number else { return false }
      state.callDeadline = nil
      return true
    }
    return isCurrent ? result : nil
  }

  private func wakeUp(at time: Int64) {
    clock.wake(at: time) { [weak self] in self?.checkDeadline(at: time) }
  }

  /// Abandons a job whose call has exceeded the time limit, and continues with the next job on another thread. Does
  /// nothing if an earlier check has replaced the check at `time`.
  private func checkDeadline(at time: Int64) {
    let now = clock.now
    let (abandoned, next) = state.withLock { state -> ([Job], Int64?) in
      guard state.nextWake.take(at: time) else { return ([], nil) }
      guard let running = state.running, let end = state.callDeadline else { return ([], nil) }
      guard now >= end else {
        return ([], state.nextWake.schedule(at: end) ? end : nil)
      }
      state.hanging[running.number] = running.job.path
      (state.running, state.callDeadline) = (nil, nil)
      let old = state.pool
      state.pool = WorkerPool(threads: 1)
      var abandoned = [running.job]
      for (number, job) in state.waiting.sorted(by: { $0.key < $1.key }) where old.cancel(number) {
        if state.refuses(job) {
          state.waiting[number] = nil
          abandoned.append(job)
        } else {
          submit(number, to: state.pool)
        }
      }
      return (abandoned, nil)
    }
    for job in abandoned { job.abandon() }
    if let next { wakeUp(at: next) }
  }
}
