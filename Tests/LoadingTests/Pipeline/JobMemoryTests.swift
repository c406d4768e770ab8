import Callbacks
import Synchronization
import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Jobs of a worker pool that wait for memory, and their order.
@Suite(.timeLimit(.minutes(5))) struct JobMemoryTests {
  /// A memory holder that has nothing to release and counts how often it is asked.
  private final class CountingHolder: MemoryHolder {
    let gate = Gate(isOpen: true)
    private let count = Mutex(0)
    var releaseCalls: Int { count.withLock { $0 } }

    func count(against ledger: MemoryLedger) { ledger.register(self, as: .cache) }
    func release(bytes: Int) {
      count.withLock { $0 += 1 }
      gate.pass()
    }
    func handlePressure(_ pressure: MemoryPressure) {}
  }

  private final class Names: Sendable {
    private let names = Mutex("")
    var all: String { names.withLock { $0 } }
    func add(_ name: String) { names.withLock { $0 += name } }
  }

  // MARK: Order

  @Test func highestPriorityJobRunsNextWhenMemoryIsReleased() async throws {
    let ledger = MemoryLedger(budget: 100)
    let holder = CountingHolder()
    holder.count(against: ledger)
    holder.gate.close()
    let pool = WorkerPool(threads: 2)
    let names = Names()
    let gate = Gate()
    func submit(_ id: UInt64, _ name: String, _ bytes: Int, _ priority: Int = 2) {
      let reservation = MemoryReservation(0, in: ledger, as: .decoding)
      pool.submit(id, priority: priority, taking: MemoryClaim(bytes, in: reservation)) {
        names.add(name)
        reservation.end()
      }
    }
    let first = MemoryReservation(0, in: ledger, as: .decoding)
    pool.submit(1, priority: 2, taking: MemoryClaim(80, in: first)) {
      gate.pass()
      names.add("a")
      first.end()
    }
    await gate.waitUntilHeld(1)

    submit(2, "b", 80)
    // The second thread has found the budget full, and asks the holder to release memory.
    await holder.gate.waitUntilHeld(1)
    submit(3, "c", 10, 1)
    submit(4, "d", 90, 3)
    holder.gate.open()
    gate.open()
    try await until { names.all.count >= 4 }

    #expect(
      names.all.hasPrefix("ad"),
      "the job of the highest priority is next, even if another job has waited longer")
    #expect(ledger.peak <= 100)
  }

  @Test func noOtherJobStartsWhileMemoryIsEvictedForAJob() async throws {
    let ledger = MemoryLedger(budget: 100)
    let kept = MemoryReservation(80, in: ledger, as: .cache)
    let holder = CountingHolder()
    holder.count(against: ledger)
    holder.gate.close()
    let pool = WorkerPool(threads: 2)
    let names = Names()
    let reservation = MemoryReservation(0, in: ledger, as: .decoding)
    pool.submit(1, priority: 2, taking: MemoryClaim(60, in: reservation)) {
      names.add("a")
      reservation.end()
    }
    await holder.gate.waitUntilHeld(1)
    pool.submit(2, priority: 1) { names.add("b") }
    for _ in 0..<20_000 where names.all.isEmpty { await Task.yield() }
    #expect(names.all.isEmpty, "the first job does not fit, and the second job may not overtake it")
    kept.end()
    holder.gate.open()
    try await until { names.all.count >= 2 }
    #expect(ledger.peak <= 100)
  }

  @Test func resubmittedJobEvictsMemoryAgain() async throws {
    let ledger = MemoryLedger(budget: 100)
    let kept = MemoryReservation(80, in: ledger, as: .cache)
    let holder = CountingHolder()
    holder.count(against: ledger)
    let pool = WorkerPool(threads: 1)
    for round in 1...3 {
      try await untilCalled { done in
        let reservation = MemoryReservation(0, in: ledger, as: .decoding)
        pool.submit(1, priority: 2, taking: MemoryClaim(60, in: reservation)) {
          reservation.end()
          done()
        }
      }
      #expect(holder.releaseCalls == round)
      #expect(!pool.isShortOfMemory)
    }
    kept.end()
  }

  // MARK: Waiting for memory in use

  /// A pool of one thread, and a budget of 64 MiB, part of which cannot be evicted.
  private struct CrowdedPool {
    let ledger = MemoryLedger(budget: 64 << 20)
    let clock = ManualLoadingClock()
    let pool: WorkerPool
    let kept: MemoryReservation

    init(kept bytes: Int) {
      pool = WorkerPool(threads: 1, clock: clock)
      kept = MemoryReservation(bytes, in: ledger, as: .textures)
    }

    func submit(_ id: UInt64, _ bytes: Int, _ body: @escaping @Sendable (MemoryClaim?) -> Void) {
      let reservation = MemoryReservation(0, in: ledger, as: .decoding)
      let claim = MemoryClaim(bytes, in: reservation)
      pool.submit(id, taking: claim) {
        body(claim)
        reservation.end()
      }
    }

    /// Returns when a job waits for the clock.
    func waitUntilAJobWaits() async throws { try await until { !clock.wakes.isEmpty } }
  }

  @Test func imageMayExceedTheBudgetSlightlyWhenNothingCanBeEvicted() async throws {
    let world = CrowdedPool(kept: 60 << 20)
    try await untilCalled { done in
      world.submit(1, 28 << 20) { claim in
        #expect(claim?.isGivenUp == false)
        done()
      }
    }
    #expect(world.ledger.peak == 88 << 20)
    world.kept.end()
  }

  @Test func imageThatDoesNotFitWaitsForMemory() async throws {
    let world = CrowdedPool(kept: 60 << 20)
    let names = Names()
    world.submit(1, 40 << 20) { claim in names.add(claim?.isGivenUp == false ? "made" : "refused") }
    try await world.waitUntilAJobWaits()
    world.clock.advance(by: 0.1)
    try await world.waitUntilAJobWaits()
    #expect(names.all.isEmpty)

    world.kept.resize(to: 10 << 20)
    world.clock.advance(by: 0.1)
    try await until { !names.all.isEmpty }

    #expect(names.all == "made")
    #expect(world.ledger.peak <= 64 << 20)
    world.kept.end()
  }

  @Test func imageThatDoesNotFitForFiveSecondsIsRefused() async throws {
    let world = CrowdedPool(kept: 60 << 20)
    let names = Names()
    world.submit(1, 40 << 20) { claim in
      #expect(claim?.refusal == .tooLarge(.memory(needed: 40 << 20, allowed: 64 << 20)))
      #expect(claim?.refusal.isMemoryShortage == true)
      names.add(claim?.isGivenUp == true ? "refused" : "made")
    }
    for step in 1...50 {
      try await world.waitUntilAJobWaits()
      #expect(names.all.isEmpty, "step \(step)")
      world.clock.advance(by: 0.1)
    }
    try await until { !names.all.isEmpty }

    #expect(names.all == "refused")
    #expect(world.ledger.peak == 60 << 20)
    world.kept.end()
  }

  @Test(arguments: [(65, 0, 0), (60, 40, 0), (40, 0, 50)])
  func imageThatCanNeverFitIsNotAMemoryShortage(needed: Int, reserved: Int, kept: Int) {
    let ledger = MemoryLedger(budget: 64 << 20)
    let reservation = MemoryReservation(reserved << 20, in: ledger, as: .decoding)

    let claim = MemoryClaim(needed << 20, in: reservation, beside: kept << 20)

    #expect(claim?.isGivenUp == true)
    #expect(claim?.refusal.isMemoryShortage == false)
  }

  // MARK: Measuring

  @Test func memoryIsMeasuredOnAWorkerAndNotOnTheSubmittingThread() async throws {
    let ledger = MemoryLedger(budget: 64 << 20)
    let pool = WorkerPool(threads: 1)
    let (gate, names) = (Gate(), Names())
    let reservation = MemoryReservation(0, in: ledger, as: .decoding)
    let claim = MemoryClaim(in: reservation) {
      gate.pass()
      return 10 << 20
    }

    pool.submit(1, taking: claim) { [ledger] in
      names.add(ledger.usage.decoding == 10 << 20 ? "counted" : "uncounted")
      reservation.end()
    }
    await gate.waitUntilHeld(1)
    #expect(!pool.isIdle)
    gate.open()
    try await until { pool.isIdle }

    #expect(names.all == "counted")
  }

  @Test func jobWithoutMemoryRunsWhileTheBudgetIsExceeded() async throws {
    let world = CrowdedPool(kept: 100 << 20)
    let names = Names()
    let reservation = MemoryReservation(0, in: world.ledger, as: .decoding)

    world.pool.submit(1, taking: MemoryClaim(in: reservation) { 0 }) { names.add("a") }
    try await until { world.pool.isIdle }

    #expect(names.all == "a")
    world.kept.end()
  }

  @Test func jobKeepsItsOrderWhileItIsMeasured() async throws {
    let pool = WorkerPool(threads: 1)
    let (gate, names) = (Gate(), Names())
    let ledger = MemoryLedger(budget: 64 << 20)
    for (id, name) in [(1, "a"), (2, "b")] as [(UInt64, String)] {
      let reservation = MemoryReservation(0, in: ledger, as: .decoding)
      let claim = MemoryClaim(in: reservation) {
        gate.pass()
        return 1
      }
      pool.submit(id, taking: claim) {
        names.add(name)
        reservation.end()
      }
    }
    await gate.waitUntilHeld(1)
    pool.submit(3, priority: 3) { names.add("c") }

    gate.open()
    try await until { pool.isIdle }

    #expect(names.all == "cab")
  }

  @Test func jobCancelledWhileItIsMeasuredDoesNotRun() async throws {
    let pool = WorkerPool(threads: 1)
    let (gate, names) = (Gate(), Names())
    let reservation = MemoryReservation(0, in: MemoryLedger(), as: .decoding)
    let claim = MemoryClaim(in: reservation) {
      gate.pass()
      return 1
    }
    pool.submit(1, taking: claim) { names.add("a") }
    await gate.waitUntilHeld(1)

    #expect(pool.cancel(1))
    gate.open()
    try await until { pool.isIdle }

    #expect(names.all.isEmpty)
  }

  @Test func priorityOfAJobChangesWhileItIsMeasured() async throws {
    let pool = WorkerPool(threads: 1)
    let (gate, names) = (Gate(), Names())
    let reservation = MemoryReservation(0, in: MemoryLedger(), as: .decoding)
    let claim = MemoryClaim(in: reservation) {
      gate.pass()
      return 1
    }
    pool.submit(1, priority: 3, taking: claim) { names.add("a") }
    await gate.waitUntilHeld(1)
    pool.submit(2, priority: 2) { names.add("b") }

    pool.setPriority(1, of: 1)
    gate.open()
    try await until { pool.isIdle }

    #expect(names.all == "ba")
  }

  @Test func smallImagesOvertakeALargeImageThatDoesNotFit() async throws {
    let world = CrowdedPool(kept: 60 << 20)
    let names = Names()
    world.submit(1, 40 << 20) { _ in names.add("large") }
    try await world.waitUntilAJobWaits()

    for id in 2...4 as ClosedRange<UInt64> { world.submit(id, 1 << 20) { _ in names.add("s") } }
    try await until { names.all.count >= 3 }
    world.kept.end()
    try await until {
      guard names.all.count < 8 else { return true }
      world.clock.advance(by: 0.1)
      return false
    }

    #expect(names.all == "ssslarge")
    #expect(!world.pool.isShortOfMemory)
  }

  @Test func jobCancelledWhileItWaitsForMemoryBlocksNoOtherJob() async throws {
    let ledger = MemoryLedger(budget: 100)
    let holder = CountingHolder()
    holder.count(against: ledger)
    let pool = WorkerPool(threads: 2)
    let gate = Gate()
    let first = MemoryReservation(0, in: ledger, as: .decoding)
    pool.submit(1, priority: 2, taking: MemoryClaim(80, in: first)) {
      gate.pass()
      first.end()
    }
    await gate.waitUntilHeld(1)
    holder.gate.close()
    pool.submit(2, priority: 2, taking: MemoryClaim(80, in: MemoryReservation(0, in: ledger, as: .decoding)))
    {
      Issue.record("a cancelled job ran")
    }
    await holder.gate.waitUntilHeld(1)
    #expect(pool.cancel(2))
    holder.gate.open()

    try await untilCalled { done in
      let reservation = MemoryReservation(0, in: ledger, as: .decoding)
      pool.submit(3, priority: 2, taking: MemoryClaim(20, in: reservation)) { done() }
    }
    gate.open()
  }
}
