import Callbacks
import Glibc
import Synchronization
import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineTesting

import VitrineLoading

/// Jobs and threads of a worker pool.
@Suite(.timeLimit(.minutes(5))) struct WorkerPoolTests {
  /// Names, in the order in which jobs added them.
  private final class Names: Sendable {
    private let names = Mutex("")
    var all: String { names.withLock { $0 } }
    func add(_ name: String) { names.withLock { $0 += name } }
  }

  private let names = Names()

  /// A pool of one thread, with jobs that wait behind one that is held at `gate`.
  private func pool(
    heldAt gate: Gate, _ jobs: [(String, Int)]
  ) async -> WorkerPool {
    let pool = WorkerPool(threads: 1)
    pool.submit(0, priority: 2) { gate.pass() }
    await gate.waitUntilHeld(1)
    for (number, job) in jobs.enumerated() {
      pool.submit(UInt64(number + 1), priority: job.1) { [names] in names.add(job.0) }
    }
    return pool
  }

  /// Opens the gate, and returns the names of the jobs after all have run.
  private func finish(_ pool: WorkerPool, _ gate: Gate) async throws -> String {
    try await untilCalled { done in
      pool.submit(99, priority: 0) { done() }
      gate.open()
    }
    return names.all
  }

  @Test func jobsRunByPriorityThenArrival() async throws {
    let gate = Gate()
    let pool = await pool(heldAt: gate, [("a", 1), ("b", 2), ("c", 3), ("d", 2)])

    #expect(try await finish(pool, gate) == "cbda")
  }

  @Test func waitingJobCanBeReprioritizedOrCancelled() async throws {
    let gate = Gate()
    let pool = await pool(heldAt: gate, [("a", 2), ("b", 2), ("c", 2), ("d", 2)])

    pool.setPriority(3, of: 3)
    #expect(pool.cancel(1))
    #expect(!pool.cancel(1))
    #expect(!pool.cancel(0), "the job is running")
    pool.setPriority(3, of: 1)

    #expect(try await finish(pool, gate) == "cbd")
  }

  @Test func poolRunsAsManyJobsAsItHasThreads() async {
    let gate = Gate()
    let pool = WorkerPool(threads: 3)
    for number in 0..<5 as Range<UInt64> {
      pool.submit(number) { gate.pass() }
    }

    await gate.waitUntilHeld(3)

    #expect(pool.cancel(3))
    #expect(pool.cancel(4))
    gate.open()
  }

  /// The threads on which jobs ran.
  private final class Threads: Sendable {
    private let threads = Mutex<[pthread_t]>([])
    var all: [pthread_t] { threads.withLock { $0 } }
    func add() { threads.withLock { $0.append(pthread_self()) } }
  }

  @Test func chainOfJobsRunsOnOneThread() async throws {
    let (pool, threads) = (WorkerPool(threads: 4), Threads())

    try await untilCalled { done in
      @Sendable func submit(_ number: UInt64) {
        pool.submitChained(number) {
          threads.add()
          return { number < 50 ? submit(number + 1) : done() }
        }
      }
      submit(1)
    }

    #expect(threads.all.count == 50 && Set(threads.all).count == 1)
  }

  @Test func endOfAJobMaySubmitSeveralJobsThatRunAtTheSameTime() async throws {
    let (pool, gate) = (WorkerPool(threads: 3), Gate())

    pool.submitChained(1) {
      {
        for number: UInt64 in 2...4 { pool.submit(number) { gate.pass() } }
      }
    }

    await gate.waitUntilHeld(3)
    #expect(!pool.isIdle)
    gate.open()
    await withCheckedContinuation { continuation in pool.whenIdle { continuation.resume() } }
  }

  @Test func poolIsIdleOnlyAfterTheEndOfItsLastJob() async throws {
    let (pool, gate) = (WorkerPool(threads: 1), Gate())
    pool.submitChained(1) { { gate.pass() } }
    await gate.waitUntilHeld(1)

    #expect(!pool.isIdle)

    gate.open()
    await withCheckedContinuation { continuation in pool.whenIdle { continuation.resume() } }
    #expect(pool.isIdle)
  }

  @Test func poolOfZeroThreadsHasOneThread() async throws {
    let pool = WorkerPool(threads: 0)
    try await untilCalled { done in
      pool.submit(1) { done() }
    }
  }

  @Test func waitingJobsRunAfterThePoolIsReleased() async throws {
    let gate = Gate()
    var pool: WorkerPool? = await pool(heldAt: gate, [("a", 2)])
    try await untilCalled { done in
      pool?.submit(2, priority: 1) { done() }
      pool = nil
      gate.open()
    }

    #expect(names.all == "a")
  }

  @Test func releasedPoolRunsAndReleasesItsLastJob() async throws {
    final class DeinitObserver: Sendable {
      let onDeinit: @Sendable () -> Void
      init(_ onDeinit: @escaping @Sendable () -> Void) { self.onDeinit = onDeinit }
      deinit { onDeinit() }
    }

    // The closure of the last job is released when the thread has run it.
    try await untilCalled { done in
      let observer = DeinitObserver(done)
      WorkerPool(threads: 2).submit(1) { _ = observer }
    }
  }

  // MARK: Threads

  @Test func threadThatWaitsForMemoryEndsAfterThePoolIsReleased() async throws {
    let ledger = MemoryLedger(budget: 100)
    let (gate, both) = (Gate(), Gate())
    let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
    var end: EndOfThreads? = EndOfThreads(continuation)
    var pool: WorkerPool? = WorkerPool(threads: 2)
    for id in 1...2 as ClosedRange<UInt64> {
      pool?.submit(id) { [end] in
        end?.waitForThisThread()
        both.pass()
      }
    }
    await both.waitUntilHeld(2)
    for id in 3...4 as ClosedRange<UInt64> {
      let reservation = MemoryReservation(0, in: ledger, as: .decoding)
      pool?.submit(id, priority: 1, taking: MemoryClaim(80, in: reservation)) {
        gate.pass()
        reservation.end()
      }
    }
    both.open()
    await gate.waitUntilHeld(1)
    try await until { pool?.isShortOfMemory != false }

    (pool, end) = (nil, nil)
    // The other thread finds that its job does not fit the budget yet.
    for _ in 0..<20_000 { await Task.yield() }
    gate.open()

    for await _ in ends {}
    #expect(ledger.peak == 80 && ledger.usage.total == 0)
  }

  /// Each round is a test case with a time limit of its own, because it waits for a turn among all other tests.
  @Test(
    "Under random submits, priority changes and cancels, every job runs or is dropped, and every thread ends",
    arguments: 0..<48)
  func everyJobRunsOrIsDroppedAndEveryThreadEnds(round: Int) async {
    let run = Atomic(0)
    let dropped = Atomic(0)
    let (submitters, jobs) = (3, 40)
    let ledger = MemoryLedger(budget: [0, 50, 100, 300][round % 4])
    let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
    let (jobEnds, jobContinuation) = AsyncStream.makeStream(of: Void.self)
    do {
      let end = EndOfThreads(continuation)
      let jobEnd = EndOfThreads(jobContinuation)
      let pool = WorkerPool(threads: 1 + round / 4 % 4)
      for submitter in 0..<submitters {
        BlockingThread.start {
          var chance = SplitMix(state: UInt64(round * submitters + submitter))
          for job in 0..<jobs {
            let id = UInt64(submitter * jobs + job)
            let reservation = MemoryReservation(0, in: ledger, as: .decoding)
            let bytes = chance.next(3) == 0 ? 0 : 10 * chance.next(12)
            let kept = MemoryReservation(0, in: ledger, as: .cache)
            _ = kept.reserve(10 * chance.next(6), force: false)
            let (yields, isLate) = (chance.next(10), chance.next(2) == 0)
            pool.submit(
              id, priority: chance.next(4),
              taking: MemoryClaim(bytes, in: reservation)
            ) {
              withExtendedLifetime(jobEnd) { end.waitForThisThread() }
              if !isLate { reservation.end() }
              for _ in 0..<yields { sched_yield() }
              reservation.end()
              run.add(1, ordering: .relaxed)
            }
            if chance.next(4) == 0 {
              let other = UInt64(submitter * jobs + chance.next(job + 1))
              if pool.cancel(other) { dropped.add(1, ordering: .relaxed) }
            }
            if chance.next(8) == 0 { pool.setPriority(3, of: UInt64(chance.next(submitters * jobs))) }
            if chance.next(8) == 0 { _ = pool.isFree }
          }
        }
      }
      // Releases the pool now, or after all its jobs have ended.
      _ = consume jobEnd
      if round % 8 < 5 { for await _ in jobEnds {} }
      withExtendedLifetime(pool) {}
    }
    for await _ in ends {}
    #expect(ledger.usage.total == 0)
    #expect(run.load(ordering: .relaxed) + dropped.load(ordering: .relaxed) == submitters * jobs)
  }
}

/// Finishes a stream when all its references are released, including those of the threads that it waits for.
private final class EndOfThreads: Sendable {
  private static let key = {
    var key = pthread_key_t()
    pthread_key_create(&key) { value in
      value.map { Unmanaged<EndOfThreads>.fromOpaque($0).release() }
    }
    return key
  }()

  private let continuation: AsyncStream<Void>.Continuation

  init(_ continuation: AsyncStream<Void>.Continuation) { self.continuation = continuation }

  deinit { continuation.finish() }

  func waitForThisThread() {
    guard pthread_getspecific(Self.key) == nil else { return }
    pthread_setspecific(Self.key, Unmanaged.passRetained(self).toOpaque())
  }
}
