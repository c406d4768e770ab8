import Synchronization
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Threads of their own.
@Suite(.timeLimit(.minutes(1))) struct WorkerPoolTests {
  /// Names, in the order in which jobs added them.
  private final class Names: Sendable {
    private let names = Mutex("")
    var all: String { names.withLock { $0 } }
    func add(_ name: String) { names.withLock { $0 += name } }
  }

  private let names = Names()

  /// A pool of one thread, with jobs that wait behind one that is held at `gate`.
  private func pool(
    heldAt gate: Gate, _ jobs: [(String, ImageRequest.Priority)]
  ) async -> WorkerPool {
    let pool = WorkerPool(threads: 1)
    pool.submit(0, priority: .normal) { gate.pass() }
    await gate.waitUntilHeld(1)
    for (number, job) in jobs.enumerated() {
      pool.submit(UInt64(number + 1), priority: job.1) { [names] in names.add(job.0) }
    }
    return pool
  }

  /// Lets the jobs run, until all have.
  private func finish(_ pool: WorkerPool, _ gate: Gate) async -> String {
    await withCheckedContinuation { continuation in
      pool.submit(99, priority: .veryLow) { continuation.resume() }
      gate.open()
    }
    return names.all
  }

  @Test func jobsRunByPriorityThenArrival() async {
    let gate = Gate()
    let pool = await pool(heldAt: gate, [("a", .low), ("b", .normal), ("c", .high), ("d", .normal)])

    #expect(await finish(pool, gate) == "cbda")
  }

  @Test func waitingJobMayMoveOrGo() async {
    let gate = Gate()
    let pool = await pool(heldAt: gate, [("a", .normal), ("b", .normal), ("c", .normal), ("d", .normal)])

    pool.setPriority(.high, of: 3)
    #expect(pool.cancel(1))
    #expect(!pool.cancel(1))
    #expect(!pool.cancel(0), "it runs")
    pool.setPriority(.high, of: 1)

    #expect(await finish(pool, gate) == "cbd")
  }

  @Test func asManyRunAtOnceAsThereAreThreads() async {
    let gate = Gate()
    let pool = WorkerPool(threads: 3)
    for number in 0..<5 as Range<UInt64> {
      pool.submit(number, priority: .normal) { gate.pass() }
    }

    await gate.waitUntilHeld(3)

    #expect(pool.cancel(3))
    #expect(pool.cancel(4))
    gate.open()
  }

  @Test func poolOfNoThreadsHasOne() async {
    let pool = WorkerPool(threads: 0)
    await withCheckedContinuation { continuation in
      pool.submit(1, priority: .normal) { continuation.resume() }
    }
  }

  @Test func jobsThatWaitStillRunWhenThePoolGoes() async {
    let gate = Gate()
    var pool: WorkerPool? = await pool(heldAt: gate, [("a", .normal)])
    await withCheckedContinuation { continuation in
      pool?.submit(2, priority: .low) { continuation.resume() }
      pool = nil
      gate.open()
    }

    #expect(names.all == "a")
  }

  @Test func poolThatGoesLetsItsThreadsEnd() async {
    final class Witness: Sendable {
      let continuation: CheckedContinuation<Void, Never>
      init(_ continuation: CheckedContinuation<Void, Never>) { self.continuation = continuation }
      deinit { continuation.resume() }
    }

    // The last job's closure goes when the thread has run it.
    await withCheckedContinuation { continuation in
      let witness = Witness(continuation)
      WorkerPool(threads: 2).submit(1, priority: .normal) { _ = witness }
    }
  }
}
