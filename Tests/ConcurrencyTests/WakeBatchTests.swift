import Synchronization
import Testing
import VitrineTesting

@testable import VitrineConcurrency

/// Jobs that are submitted while the wake-ups of their pools are delayed.
@Suite(.timeLimit(.minutes(5))) struct WakeBatchTests {
  /// Returns a pool whose threads have all been started and have nothing to do.
  private func startedPool(threads: Int) async -> WorkerPool {
    let (pool, gate) = (WorkerPool(threads: threads), Gate())
    for number in 0..<UInt64(threads) { pool.submit(number) { gate.pass() } }
    await gate.waitUntilHeld(threads)
    gate.open()
    await withCheckedContinuation { continuation in pool.whenIdle { continuation.resume() } }
    return pool
  }

  @Test func jobsOfABatchRunAfterItsEnd() async {
    let (one, two) = (await startedPool(threads: 2), await startedPool(threads: 1))
    let runs = Atomic(0)

    WakeBatch.run {
      for number: UInt64 in 1...3 {
        one.submit(number) { runs.add(1, ordering: .relaxed) }
        WakeBatch.run { two.submit(number) { runs.add(1, ordering: .relaxed) } }
      }
    }

    for pool in [one, two] {
      await withCheckedContinuation { continuation in pool.whenIdle { continuation.resume() } }
    }
    let count = runs.load(ordering: .relaxed)
    #expect(count == 6)
  }

  @Test func allThreadsOfAPoolAreWoken() async {
    let (pool, gate) = (await startedPool(threads: 3), Gate())

    WakeBatch.run {
      for number: UInt64 in 1...3 { pool.submit(number) { gate.pass() } }
    }

    await gate.waitUntilHeld(3)
    gate.open()
  }

  @Test func threadsAreWokenDuringALongBatch() async {
    let (pool, job, batch) = (await startedPool(threads: 1), Gate(), Gate())

    BlockingThread.start {
      WakeBatch.run {
        pool.submit(0) { job.pass() }
        for number in 1..<UInt64(WakeBatch.limit) { pool.submit(number) {} }
        batch.pass()
      }
    }

    await batch.waitUntilHeld(1)
    await job.waitUntilHeld(1)
    job.open()
    batch.open()
    await withCheckedContinuation { continuation in pool.whenIdle { continuation.resume() } }
  }

  @Test func wakeUpsAreDelayedOnlyWithinABatch() async {
    let pool = await startedPool(threads: 1)
    #expect(!WakeBatch.delayWake(of: pool))

    WakeBatch.run { #expect(WakeBatch.delayWake(of: pool)) }

    #expect(!WakeBatch.delayWake(of: pool))
  }
}
