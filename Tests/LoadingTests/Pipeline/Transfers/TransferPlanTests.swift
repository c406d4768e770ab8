import Testing
import VitrineConcurrency
import VitrineTesting

@testable import VitrineLoading

/// The downloads that wait, run, are retried or are held.
struct TransferPlanTests {
  private let second: Int64 = 1_000_000_000
  private let lane = DownloadQueue.Lane(url())

  private func id(_ number: UInt64) -> FetchID { FetchID(number: number) }

  private func plan(
    _ retries: RetryPolicy = .none, totalLimit: Double = .infinity, fetches: ClosedRange<UInt64> = 1...1
  ) -> TransferPlan {
    var plan = TransferPlan(retries: retries, totalLimit: totalLimit, random: { 0.5 })
    plan.queue.maximumActive = 1
    for number in fetches { plan.add(id(number), lane: lane, at: 0) }
    return plan
  }

  @Test func lookupKeepsThePositionOfItsDownload() {
    var plan = plan(fetches: 1...2)
    _ = plan.arrive(id(1), at: 0)
    plan.enqueue(id(2), .normal, at: 0)
    plan.enqueueAfterLookup(id(1), .normal, at: 0)
    #expect(plan.startNext(at: 0) == id(1))
    #expect(plan.startNext(at: 0) == nil, "one download at a time")
  }

  /// Starts and stops a download `times` times, while two others wait. Returns the order of the downloads.
  private func order(afterStopping times: Int) -> [FetchID] {
    var plan = plan(fetches: 1...3)
    for number in 1...3 as ClosedRange<UInt64> {
      _ = plan.arrive(id(number), at: 0)
      plan.enqueueAfterLookup(id(number), .normal, at: 0)
    }
    for _ in 0..<times {
      let started = plan.startNext(at: 0)
      #expect(started == id(1))
      plan.stopped(id(1), at: 0)
      _ = plan.arriveAgain(id(1), at: 0)
      plan.enqueueAfterLookup(id(1), .normal, at: 0)
    }
    return plan.queue.waiting(behind: id(1), upTo: 9)
  }

  @Test("a download that is stopped for another process returns to its place", arguments: [1, 3, 255])
  func stoppedDownloadReturnsToItsPlace(times: Int) {
    #expect(order(afterStopping: times) == [id(1), id(2), id(3)])
  }

  @Test func downloadThatIsStoppedForEverLeavesItsPlaceToOthers() {
    #expect(order(afterStopping: 256) == [id(2), id(3), id(1)])
  }

  @Test("the place is kept in each order", arguments: [Prioritization.fifo, .lifo, .newestBatch])
  func placeIsKeptInEachOrder(order: Prioritization) throws {
    var plan = plan(fetches: 1...4)
    plan.queue.order = order
    for number in 1...4 as ClosedRange<UInt64> {
      // Two batches of two downloads.
      _ = plan.arrive(id(number), at: Int64((number - 1) / 2) * second)
      plan.enqueueAfterLookup(id(number), .normal, at: 0)
    }
    let before = plan.queue.waiting(behind: id(1), upTo: 9)
    let started = plan.startNext(at: second)
    let first = try #require(started)

    plan.stopped(first, at: second)
    _ = plan.arriveAgain(first, at: second)
    plan.enqueueAfterLookup(first, .normal, at: second)

    #expect(plan.queue.waiting(behind: first, upTo: 9) == before && before.first == first)
  }

  @Test("after an attempt, a pause or a new priority, a download has a new place", arguments: 0...2)
  func placeIsLost(reason: Int) {
    var plan = plan(fetches: 1...3)
    for number in 1...3 as ClosedRange<UInt64> {
      _ = plan.arrive(id(number), at: 0)
      plan.enqueueAfterLookup(id(number), .normal, at: 0)
    }
    switch reason {
    case 0:
      #expect(plan.startNext(at: 0) == id(1))
      plan.ended(id(1), FetchEnd(.needsWhole), at: 0)
    case 1: plan.hold(id(1), isRunning: false, at: 0)
    default:
      plan.setPriority(.high, of: id(1), at: 0)
      #expect(plan.startNext(at: 0) == id(1))
      plan.stopped(id(1), at: 0)
    }
    plan.release(id(1))
    _ = plan.arriveAgain(id(1), at: 0)
    plan.enqueueAfterLookup(id(1), .normal, at: 0)
    #expect(plan.startNext(at: 0) == id(2))
  }

  @Test func downloadOfPausedCallersIsHeldUntilACallerResumes() {
    var plan = plan()
    _ = plan.arrive(id(1), at: 0)
    plan.enqueueAfterLookup(id(1), nil, at: 0)
    #expect(plan.isHeld(id(1)))
    #expect(plan.startNext(at: 0) == nil)

    plan.release(id(1))
    plan.enqueueAgain(id(1), .normal, at: 0)
    #expect(plan.startNext(at: 0) == id(1))
    plan.hold(id(1), isRunning: true, at: second)
    #expect(plan.queue.activeCount == 0)
    #expect(plan.secondsSpent(on: id(1)) == 0, "the whole time limit is available again")
  }

  @Test func retriesAreCountedAndBoundedByTheTotalLimit() {
    var plan = plan(RetryPolicy(limit: 2, delay: 1), totalLimit: 8)
    plan.enqueue(id(1), .normal, at: 0)
    let error = ImageError.transport(.cannotConnect, message: "")
    func fail(startingAt start: Int64, after seconds: Int64) -> Double? {
      #expect(plan.startNext(at: start) == id(1))
      plan.ended(id(1), FetchEnd(.failed(error)), at: start + seconds * second)
      let delay = plan.retryDelay(id(1), after: error, retryAfter: nil)
      if delay != nil { plan.retry(id(1), .normal, notBefore: start + seconds * second) }
      return delay
    }
    #expect(fail(startingAt: 0, after: 1) != nil)
    #expect(plan.secondsSpent(on: id(1)) == 1)
    #expect(fail(startingAt: second, after: 7) == nil, "the time limit is used up")
  }

  @Test func retryLimitEndsTheRetries() {
    var plan = plan(RetryPolicy(limit: 1, delay: 0))
    let error = ImageError.transport(.cannotConnect, message: "")
    #expect(plan.retryDelay(id(1), after: error, retryAfter: nil) != nil)
    #expect(plan.retryDelay(id(1), after: error, retryAfter: nil) == nil)
    #expect(plan.retryDelay(id(2), after: error, retryAfter: nil) == nil, "an unknown fetch")
  }

  @Test func downloadRestartsOnceWithoutARange() {
    var plan = plan()
    #expect(plan.restart(id(1)) == true)
    #expect(plan.restart(id(1)) == false)
  }

  @Test func timeInTheQueueEndsWithTheFirstAttempt() {
    var plan = plan()
    plan.enqueue(id(1), .normal, at: 0)
    #expect(plan.startNext(at: 2 * second) == id(1))
    plan.ended(id(1), FetchEnd(.needsWhole), at: 3 * second)
    plan.retry(id(1), .normal, notBefore: 3 * second)
    #expect(plan.startNext(at: 4 * second) == id(1))
    #expect(plan.secondsQueued(id(1)) == 2)
  }
}
