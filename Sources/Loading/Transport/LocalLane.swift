import Synchronization
import VitrineGraphics

/// The thread that reads local files, one after the other, with a limit for each call that may block: a file on a disk that
/// hangs fails when its time is over, and its thread is replaced by another one for the files after it.
final class LocalLane: Sendable {
  /// Threads that may hang at a time; then all reads fail at once until one of them comes back.
  static let maximumHanging = 4

  /// A file or data URL to read.
  struct Job: Sendable {
    /// Seconds for which one call may block.
    let limit: Double
    /// Reads on the lane's thread, given its number for `blocking`.
    let read: @Sendable (UInt64) -> Void
    /// Called once in place of the end of `read`, while that hangs or instead of it.
    let giveUp: @Sendable () -> Void
  }

  private struct State {
    var pool = WorkerPool(threads: 1)
    var last: UInt64 = 0
    var waiting: [UInt64: Job] = [:]
    /// The job under way.
    var running: (number: UInt64, job: Job)?
    /// When the call that the job is in has to be over; nil outside of calls that may block.
    var callEnd: Int64?
    var hanging: Set<UInt64> = []
    /// When the lane is looked at next.
    var wake: Int64?

    var isBlocked: Bool { hanging.count >= LocalLane.maximumHanging }
  }

  private let state = Mutex(State())
  private let clock: any LoadingClock

  init(clock: any LoadingClock) { self.clock = clock }

  func submit(_ job: Job) {
    let isTaken = state.withLock { state in
      guard !state.isBlocked else { return false }
      state.last += 1
      state.waiting[state.last] = job
      submit(state.last, to: state.pool)
      return true
    }
    if !isTaken { job.giveUp() }
  }

  private func submit(_ number: UInt64, to pool: WorkerPool) {
    pool.submit(number, priority: .normal) { [self] in
      let job = state.withLock { state in
        let job = state.waiting.removeValue(forKey: number)
        state.running = job.map { (number, $0) }
        return job
      }
      job?.read(number)
      state.withLock { state in
        if state.hanging.remove(number) == nil, state.running?.number == number { state.running = nil }
      }
    }
  }

  /// Makes a call that may block, from within a job. Nil if the job was given up meanwhile: then nothing more is to come
  /// of it.
  func blocking<Result>(_ number: UInt64, _ call: () -> Result) -> Result? {
    let now = clock.now
    let wake = state.withLock { state -> Int64? in
      guard let running = state.running, running.number == number else { return nil }
      let end = now.advanced(bySeconds: max(0, running.job.limit))
      state.callEnd = end
      guard state.wake == nil, end < .max else { return nil }
      state.wake = end
      return end
    }
    if let wake { wakeUp(at: wake) }
    let result = call()
    let isWanted = state.withLock { state in
      guard state.running?.number == number else { return false }
      state.callEnd = nil
      return true
    }
    return isWanted ? result : nil
  }

  private func wakeUp(at time: Int64) {
    clock.wake(at: time) { [weak self] in self?.look() }
  }

  /// Gives up a job that is in a call for too long, and goes on with the next on another thread.
  private func look() {
    let now = clock.now
    let (givenUp, next) = state.withLock { state -> ([Job], Int64?) in
      state.wake = nil
      guard let running = state.running, let end = state.callEnd else { return ([], nil) }
      guard now >= end else {
        state.wake = end
        return ([], end)
      }
      state.hanging.insert(running.number)
      (state.running, state.callEnd) = (nil, nil)
      let old = state.pool
      state.pool = WorkerPool(threads: 1)
      var givenUp = [running.job]
      for (number, job) in state.waiting.sorted(by: { $0.key < $1.key }) where old.cancel(number) {
        if state.isBlocked {
          state.waiting[number] = nil
          givenUp.append(job)
        } else {
          submit(number, to: state.pool)
        }
      }
      return (givenUp, nil)
    }
    for job in givenUp { job.giveUp() }
    if let next { wakeUp(at: next) }
  }
}
