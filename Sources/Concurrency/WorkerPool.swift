import Glibc

/// A pool of threads for work that takes long: decoding, transforms, files. The cooperative pool of Swift concurrency
/// has one thread per core and must not be blocked by such work.
///
/// Jobs run by priority, then in order of arrival. Threads start when there is work, sleep when there is none, and end
/// when the pool is released; waiting jobs then still run, unless they are cancelled. A job with a `JobClaim` waits for
/// room; no later job overtakes it while other jobs with claims run. A claim that is not measured yet is measured by a
/// thread of the pool, while other threads may run later jobs.
package final class WorkerPool: Sendable {
  private struct Job {
    let id: UInt64
    /// Does the work, and returns what is to be called at the end, if anything.
    let body: @Sendable () -> (@Sendable () -> Void)?
    let claim: (any JobClaim)?
    let flag: CancellationFlag?

    /// True if the job has a claim of anything.
    var takesMemory: Bool { claim.map { !$0.isEmpty } ?? false }
  }

  private enum Step {
    case job(Job)
    /// Measure the memory that a job takes, outside the lock, before the job is looked at again.
    case measure(UInt64, any JobClaim)
    /// Evict cached memory outside the lock, before the job is looked at again.
    case evict(any JobClaim)
    /// No job is running, and there is no room for the waiting jobs.
    case waitForMemory(any JobClaim)
    case end
  }

  private struct State {
    var waiting = WaitingList<UInt64>()
    var jobs: [UInt64: Job] = [:]
    var lastNumber: UInt64 = 0
    /// The queue positions of the jobs whose memory is being measured.
    var measured: [UInt64: (level: Int, number: UInt64)] = [:]
    var threads = 0
    var busy = 0
    /// The busy threads that will look for work in a moment, because they call the end of a job.
    var ending: [pthread_t] = []
    /// The number of running jobs that take memory.
    var claims = 0
    /// The job for which room was requested last; `nil` once the job begins or is removed, because the number may be
    /// submitted again.
    var evictedFor: UInt64?
    /// The number of threads that are evicting memory.
    var makers = 0
    /// The jobs without room that other jobs may overtake, because no job was running whose end would make room.
    var setAside: Set<UInt64> = []
    /// True while a claim waits for room.
    var isWaitingForMemory = false
    /// The cancellation flags of running jobs that can be stopped.
    var running: [UInt64: CancellationFlag] = [:]
    var isClosed = false
    var callsWhenIdle: [@Sendable () -> Void] = []
    /// The number of callers that are about to submit jobs.
    var holds = 0

    var isIdle: Bool { busy == 0 && jobs.isEmpty && holds == 0 }

    mutating func takeCallsWhenIdle() -> [@Sendable () -> Void] {
      guard isIdle else { return [] }
      defer { callsWhenIdle = [] }
      return callsWhenIdle
    }

    /// The level in `waiting` of jobs that are set aside, below the levels of all priorities.
    static let lowestLevel = 0

    static func level(of priority: Int) -> Int { priority + 1 }

    mutating func append(_ id: UInt64, level: Int) {
      lastNumber += 1
      waiting.append(id, priority: level, number: lastNumber)
    }

    /// Returns the next turn of a thread, or `nil` while there is nothing to do.
    mutating func nextStep() -> Step? {
      guard let head = waiting.head(.fifo), let job = jobs[head.item] else { return isClosed ? .end : nil }
      let id = head.item
      if let claim = job.claim, !claim.isMeasured {
        waiting.remove(id)
        measured[id] = (head.priority, head.ticket.number)
        busy += 1
        return .measure(id, claim)
      }
      if let claim = job.claim, !claim.isEmpty, !claim.isGivenUp, !claim.reserve(exceeding: false) {
        if evictedFor != id, !setAside.contains(id) {
          evictedFor = id
          makers += 1
          return .evict(claim)
        }
        // After eviction, the end of another job is the next chance.
        guard makers == 0, claims == 0 else { return nil }
        guard claim.reserve(exceeding: true) else { return overtake(id, claim) }
      }
      _ = remove(id)
      busy += 1
      if job.takesMemory { claims += 1 }
      if let flag = job.flag { running[id] = flag }
      return .job(job)
    }

    /// Returns the turn to take if no job is running and there is no room for the first job: another job may have room,
    /// or release memory that the first one waits for.
    private mutating func overtake(_ id: UInt64, _ claim: any JobClaim) -> Step? {
      if setAside.insert(id).inserted {
        append(id, level: Self.lowestLevel)
        evictedFor = nil
        return nextStep()
      }
      evictedFor = id
      guard !isWaitingForMemory else { return nil }
      isWaitingForMemory = true
      return .waitForMemory(claim)
    }

    /// Checks all jobs again, because memory may have been released.
    mutating func lookAgain() {
      setAside = []
      isWaitingForMemory = false
      evictedFor = nil
    }

    /// Puts a measured job back into the earlier position in the queue, unless the job was cancelled in the meantime.
    mutating func endMeasuring(_ id: UInt64, _ claim: any JobClaim) {
      busy -= 1
      guard let place = measured.removeValue(forKey: id), jobs[id]?.claim === claim else { return }
      waiting.append(id, priority: place.level, number: place.number)
    }

    mutating func setPriority(_ priority: Int, of id: UInt64) {
      if measured[id] != nil {
        lastNumber += 1
        measured[id] = (Self.level(of: priority), lastNumber)
      } else if waiting.contains(id) {
        append(id, level: Self.level(of: priority))
      }
    }

    mutating func remove(_ id: UInt64) -> Job? {
      waiting.remove(id)
      if evictedFor == id { evictedFor = nil }
      if setAside.remove(id) != nil { isWaitingForMemory = false }
      return jobs.removeValue(forKey: id)
    }

    /// True if the calling thread is at the end of a job, and will take the only waiting job.
    var isTakenByCaller: Bool {
      guard !ending.isEmpty, waiting.count == 1 else { return false }
      let caller = pthread_self()
      return ending.contains { pthread_equal($0, caller) != 0 }
    }

    /// True if a sleeping thread may find work, or if all threads are to end.
    var isMore: Bool { waiting.isEmpty ? isClosed : busy < threads }

    /// True if a job waits for the end of another job, which has the memory.
    var isShortOfMemory: Bool { evictedFor != nil }

    mutating func finish(_ job: Job) {
      busy -= 1
      if let flag = job.flag, running[job.id] === flag { running[job.id] = nil }
      guard job.takesMemory else { return }
      claims -= 1
      if !setAside.isEmpty { lookAgain() }
    }
  }

  private let lock = ConditionLock(State())
  private let maximumThreads: Int
  private let clock: any LoadingClock

  /// - Parameters:
  ///   - threads: The maximum number of threads; below 1 counts as 1.
  ///   - clock: The clock for claims that wait for room.
  package init(threads: Int, clock: any LoadingClock = SystemLoadingClock()) {
    maximumThreads = max(1, threads)
    self.clock = clock
  }

  deinit { lock.withLock { $0.isClosed = true } }

  /// Runs `job` in the order of priority, as soon as there is room for the memory that the job takes.
  ///
  /// - Parameters:
  ///   - id: The number of the job, chosen by the caller; unique among waiting jobs.
  ///   - priority: A small number from 0 up; jobs of a larger number run first.
  ///   - claim: The memory of the job; `nil` for a job that need not wait for memory.
  ///   - flag: A flag that is set when the job is cancelled while running.
  package func submit(
    _ id: UInt64, priority: Int = 0, taking claim: (any JobClaim)? = nil,
    stoppedBy flag: CancellationFlag? = nil, job: @escaping @Sendable () -> Void
  ) {
    let body = { @Sendable () -> (@Sendable () -> Void)? in
      job()
      return nil
    }
    submit(Job(id: id, body: body, claim: claim, flag: flag), priority)
  }

  /// Runs `job` as `submit(_:priority:taking:stoppedBy:job:)` does, and then calls the function that it returns.
  ///
  /// A job that this function submits runs next on the same thread, and no other thread is woken for it: to wake a
  /// thread for each of many short jobs takes longer than the jobs. The function must not wait for the job.
  package func submitChained(
    _ id: UInt64, priority: Int = 0, job: @escaping @Sendable () -> @Sendable () -> Void
  ) {
    submit(Job(id: id, body: job, claim: nil, flag: nil), priority)
  }

  private func submit(_ job: Job, _ priority: Int) {
    let (needsThread, isTaken) = lock.withLock(waking: .none) { state in
      state.jobs[job.id] = job
      state.append(job.id, level: State.level(of: priority))
      let free = state.threads - state.busy + state.ending.count
      guard state.threads < maximumThreads, free < state.waiting.count else {
        return (false, state.isTakenByCaller)
      }
      state.threads += 1
      return (true, false)
    }
    if needsThread {
      startThread()
    } else if !isTaken, !WakeBatch.delayWake(of: self) {
      wakeThread()
    }
  }

  /// Wakes a thread of the pool, which wakes the next one if more jobs wait.
  func wakeThread() { lock.wake(.one) }

  /// True if a submitted job would start at once: a thread is free, and no job waits for a thread or for memory.
  package var isFree: Bool {
    lock.withLock(waking: .none) { !$0.isShortOfMemory && $0.busy + $0.waiting.count < maximumThreads }
  }

  /// True if a job waits for a thread or for memory.
  package var hasWaitingJobs: Bool { lock.withLock(waking: .none) { !$0.waiting.isEmpty } }

  /// True if a job waits for memory that is reserved by others.
  package var isShortOfMemory: Bool { lock.withLock(waking: .none) { $0.isShortOfMemory } }

  /// True if no job runs or waits, including cancelled jobs that still run, and no caller holds the pool.
  package var isIdle: Bool { lock.withLock(waking: .none) { $0.isIdle } }

  /// Calls a closure as soon as the pool is idle; at once if it is. The call may come on any thread.
  package func whenIdle(_ call: @escaping @Sendable () -> Void) {
    let isIdle = lock.withLock(waking: .none) { state in
      if !state.isIdle { state.callsWhenIdle.append(call) }
      return state.isIdle
    }
    if isIdle { call() }
  }

  /// Keeps the pool from being idle until `endHold()`, for a caller that submits jobs one after another.
  package func beginHold() { lock.withLock(waking: .none) { $0.holds += 1 } }

  package func endHold() {
    let calls = lock.withLock(waking: .none) { state in
      state.holds -= 1
      return state.takeCallsWhenIdle()
    }
    for call in calls { call() }
  }

  /// Drops a job that has not begun, or sets the flag of a running job. Returns true if a job was dropped.
  @discardableResult
  package func cancel(_ id: UInt64) -> Bool {
    // The closure of the job is released outside the lock, because it may hold any object.
    let (job, calls) = lock.withLock { state in
      state.running[id]?.set()
      return (state.remove(id), state.takeCallsWhenIdle())
    }
    for call in calls { call() }
    return job != nil
  }

  /// Moves a job that has not begun to the end of the queue for another priority.
  package func setPriority(_ priority: Int, of id: UInt64) {
    lock.withLock { $0.setPriority(priority, of: id) }
  }

  private func startThread() {
    let (lock, clock) = (lock, clock)
    BlockingThread.start {
      while true {
        switch lock.wait(until: { $0.nextStep() }, wakingOneIf: \.isMore) {
        case .job(let job): Self.run(job, lock)
        case .measure(let id, let claim):
          claim.measure()
          let calls = lock.withLock(waking: .none) { state in
            state.endMeasuring(id, claim)
            return state.takeCallsWhenIdle()
          }
          for call in calls { call() }
        case .evict(let claim):
          claim.makeRoom()
          // This thread looks for work next, so that no other thread need be woken.
          lock.withLock(waking: .none) { $0.makers -= 1 }
        case .waitForMemory(let claim):
          claim.waitForRoom(clock) { [weak lock] in lock?.withLock(waking: .one) { $0.lookAgain() } }
        case .end: return
        }
      }
    }
  }

  private static func run(_ job: Job, _ lock: ConditionLock<State>) {
    let end = job.body()
    if let end {
      lock.withLock(waking: .none) { $0.ending.append(pthread_self()) }
      end()
    }
    // This thread looks for work next, so that no other thread need be woken.
    let calls = lock.withLock(waking: .none) { state in
      if end != nil { state.ending.removeAll { pthread_equal($0, pthread_self()) != 0 } }
      state.finish(job)
      return state.takeCallsWhenIdle()
    }
    for call in calls { call() }
  }
}
