/// Threads of their own for what takes long: decoding, transforms, files. The concurrency pool is as narrow
/// as the machine and must never be blocked by these.
///
/// Jobs run by priority, then in order of arrival. Threads start when there is work for them, sleep when
/// there is none, and end when the pool goes; jobs that wait then still run, unless they are cancelled.
package final class WorkerPool: Sendable {
  private typealias Job = @Sendable () -> Void

  private struct State {
    var waiting = WaitingList<UInt64>()
    var jobs: [UInt64: Job] = [:]
    var lastNumber: UInt64 = 0
    var threads = 0
    var busy = 0
    var isClosed = false

    mutating func append(_ id: UInt64, _ priority: ImageRequest.Priority) {
      lastNumber += 1
      waiting.append(id, priority: priority, number: lastNumber)
    }

    mutating func takeJob() -> Job? {
      guard let id = waiting.head(.fifo)?.item else { return nil }
      waiting.remove(id)
      busy += 1
      return jobs.removeValue(forKey: id)
    }
  }

  private let monitor = Monitor(State())
  private let maximumThreads: Int

  /// - Parameter threads: how many run at once at most; below 1 counts as 1.
  package init(threads: Int) { maximumThreads = max(1, threads) }

  deinit { monitor.withLock { $0.isClosed = true } }

  /// Runs `job` when its turn comes. `id` is the submitter's, unique among the jobs that wait.
  package func submit(
    _ id: UInt64, priority: ImageRequest.Priority, job: @escaping @Sendable () -> Void
  ) {
    let needsThread = monitor.withLock { state in
      state.jobs[id] = job
      state.append(id, priority)
      guard state.threads < maximumThreads, state.threads - state.busy < state.waiting.count else {
        return false
      }
      state.threads += 1
      return true
    }
    if needsThread { startThread() }
  }

  /// Drops a job that has not begun; whether there was one.
  @discardableResult
  package func cancel(_ id: UInt64) -> Bool {
    // The closure goes outside the lock, as what it holds may be anything.
    monitor.withLock { state in
      state.waiting.remove(id)
      return state.jobs.removeValue(forKey: id)
    } != nil
  }

  /// Moves a job that has not begun to the end of another priority's line.
  package func setPriority(_ priority: ImageRequest.Priority, of id: UInt64) {
    monitor.withLock { if $0.waiting.contains(id) { $0.append(id, priority) } }
  }

  private func startThread() {
    let monitor = monitor
    BlockingThread.start {
      while let job = Self.nextJob(monitor) {
        job()
        monitor.withLock { $0.busy -= 1 }
      }
    }
  }

  /// Waits for work; nil when the pool has gone and nothing is left.
  private static func nextJob(_ monitor: Monitor<State>) -> Job? {
    monitor.wait { state -> Job?? in
      if let job = state.takeJob() { return .some(job) }
      return state.isClosed ? .some(nil) : nil
    }
  }
}
