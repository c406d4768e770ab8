package import VitrineGraphics

/// Threads of their own for what takes long: decoding, transforms, files. The concurrency pool is as narrow
/// as the machine and must never be blocked by these.
///
/// Jobs run by priority, then in order of arrival. Threads start when there is work for them, sleep when
/// there is none, and end when the pool goes; jobs that wait then still run, unless they are cancelled. A job that
/// takes memory waits for room in the ledger, unless no other such job runs; none overtakes it meanwhile.
package final class WorkerPool: Sendable {
  private struct Job {
    let body: @Sendable () -> Void
    let claim: Claim?
  }

  /// Memory that a job takes while it runs. The job ends `hold` when it takes none any more.
  package struct Claim: Sendable {
    fileprivate let bytes: Int
    fileprivate let hold: MemoryHold

    /// Less than 1 byte waits for nothing.
    package init?(_ bytes: Int, in hold: MemoryHold) {
      guard bytes > 0 else { return nil }
      self.bytes = bytes
      self.hold = hold
    }
  }

  private enum Turn {
    case job(Job)
    /// Ask others to let go before the job is looked at again.
    case makeRoom(Claim)
    case end
  }

  private struct State {
    var waiting = WaitingList<UInt64>()
    var jobs: [UInt64: Job] = [:]
    var lastNumber: UInt64 = 0
    var threads = 0
    var busy = 0
    /// Jobs under way that take memory.
    var claims = 0
    /// The job that room was asked for, until it begins or goes: it may come again.
    var roomAsked: UInt64?
    /// Threads that ask for room now.
    var makers = 0
    var isClosed = false
    var callsWhenIdle: [@Sendable () -> Void] = []

    var isIdle: Bool { busy == 0 && jobs.isEmpty }

    mutating func takeCallsWhenIdle() -> [@Sendable () -> Void] {
      guard isIdle else { return [] }
      defer { callsWhenIdle = [] }
      return callsWhenIdle
    }

    mutating func append(_ id: UInt64, _ priority: ImageRequest.Priority) {
      lastNumber += 1
      waiting.append(id, priority: priority, number: lastNumber)
    }

    /// Nil while there is nothing to do.
    mutating func nextTurn() -> Turn? {
      guard let id = waiting.head(.fifo)?.item, let job = jobs[id] else { return isClosed ? .end : nil }
      if let claim = job.claim, !claim.hold.take(claim.bytes, inAnyCase: false) {
        if roomAsked != id {
          roomAsked = id
          makers += 1
          return .makeRoom(claim)
        }
        // Once that is done, the end of another job is the next chance.
        guard makers == 0, claims == 0, claim.hold.take(claim.bytes, inAnyCase: true) else { return nil }
      }
      _ = remove(id)
      busy += 1
      if job.claim != nil { claims += 1 }
      return .job(job)
    }

    mutating func remove(_ id: UInt64) -> Job? {
      waiting.remove(id)
      if roomAsked == id { roomAsked = nil }
      return jobs.removeValue(forKey: id)
    }

    /// Whether a thread that sleeps may find something to do, or that there is nothing more to come.
    var isMore: Bool { waiting.isEmpty ? isClosed : busy < threads }

    /// Whether a job waits for the end of another, which has the memory that it takes.
    var isShortOfMemory: Bool { roomAsked != nil }

    mutating func finish(_ job: Job) {
      busy -= 1
      if job.claim != nil { claims -= 1 }
    }
  }

  private let monitor = Monitor(State())
  private let maximumThreads: Int

  /// - Parameter threads: how many run at once at most; below 1 counts as 1.
  package init(threads: Int) { maximumThreads = max(1, threads) }

  deinit { monitor.withLock { $0.isClosed = true } }

  /// Runs `job` when its turn comes, and when there is room for the memory that it takes. `id` is the submitter's,
  /// unique among the jobs that wait.
  package func submit(
    _ id: UInt64, priority: ImageRequest.Priority, taking claim: Claim? = nil,
    job: @escaping @Sendable () -> Void
  ) {
    let needsThread = monitor.withLock(waking: .one) { state in
      state.jobs[id] = Job(body: job, claim: claim)
      state.append(id, priority)
      guard state.threads < maximumThreads, state.threads - state.busy < state.waiting.count else {
        return false
      }
      state.threads += 1
      return true
    }
    if needsThread { startThread() }
  }

  /// Whether there is a thread that nobody else waits for, and memory that nobody waits for either.
  package var isFree: Bool {
    monitor.withLock(waking: .nobody) { !$0.isShortOfMemory && $0.busy + $0.waiting.count < maximumThreads }
  }

  /// Whether a job waits for memory that others have.
  package var isShortOfMemory: Bool { monitor.withLock(waking: .nobody) { $0.isShortOfMemory } }

  /// Whether no job runs or waits, those that run for nobody included.
  package var isIdle: Bool { monitor.withLock(waking: .nobody) { $0.isIdle } }

  /// Calls once no job runs or waits, those that run for nobody included; at once if none does.
  package func whenIdle(_ call: @escaping @Sendable () -> Void) {
    let isIdle = monitor.withLock(waking: .nobody) { state in
      if !state.isIdle { state.callsWhenIdle.append(call) }
      return state.isIdle
    }
    if isIdle { call() }
  }

  /// Drops a job that has not begun; whether there was one.
  @discardableResult
  package func cancel(_ id: UInt64) -> Bool {
    // The closure goes outside the lock, as what it holds may be anything.
    let (job, calls) = monitor.withLock { ($0.remove(id), $0.takeCallsWhenIdle()) }
    for call in calls { call() }
    return job != nil
  }

  /// Moves a job that has not begun to the end of another priority's line.
  package func setPriority(_ priority: ImageRequest.Priority, of id: UInt64) {
    monitor.withLock { if $0.waiting.contains(id) { $0.append(id, priority) } }
  }

  private func startThread() {
    let monitor = monitor
    BlockingThread.start {
      while true {
        switch monitor.wait(until: { $0.nextTurn() }, wakingOneIf: \.isMore) {
        case .job(let job): Self.run(job, monitor)
        case .makeRoom(let claim):
          claim.hold.makeRoom(for: claim.bytes)
          // It looks next itself.
          monitor.withLock(waking: .nobody) { $0.makers -= 1 }
        case .end: return
        }
      }
    }
  }

  private static func run(_ job: Job, _ monitor: Monitor<State>) {
    job.body()
    // Its thread looks next for what may begin now.
    let calls = monitor.withLock(waking: .nobody) { state in
      state.finish(job)
      return state.takeCallsWhenIdle()
    }
    for call in calls { call() }
  }
}
