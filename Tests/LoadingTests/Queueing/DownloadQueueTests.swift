import Testing
import VitrineConcurrency

@testable import VitrineLoading

/// The decisions about the next download. Times are in milliseconds.
@Suite struct DownloadQueueTests {
  private let a = DownloadQueue.Lane.host(scheme: "https", name: "a.test", port: nil)
  private let b = DownloadQueue.Lane.host(scheme: "https", name: "b.test", port: nil)

  private func id(_ number: UInt64) -> FetchID { FetchID(number: number) }

  private func milliseconds(_ time: Int) -> Int64 { Int64(time) * 1_000_000 }

  /// Returns the downloads that start now. They keep running.
  private func started(_ queue: inout DownloadQueue, at time: Int = 0) -> [UInt64] {
    var numbers: [UInt64] = []
    while let id = queue.startNext(at: milliseconds(time)) { numbers.append(id.number) }
    return numbers
  }

  /// Returns a queue in which the given downloads of `a` were refused; `retryAfter` is in seconds.
  private func refused(_ numbers: [UInt64], retryAfter: Double?) -> DownloadQueue {
    var queue = DownloadQueue()
    for number in numbers { queue.enqueue(id(number), lane: a, priority: .normal) }
    while queue.startNext() != nil {}
    for number in numbers { queue.ended(id(number), status: 429, retryAfter: retryAfter) }
    return queue
  }

  @Test func dataURLsStartWhileFilesHang() {
    var queue = DownloadQueue()
    for number in 1...3 { queue.enqueue(id(UInt64(number)), lane: .local, priority: .normal) }
    #expect(started(&queue) == [1, 2])

    for number in 4...6 { queue.enqueue(id(UInt64(number)), lane: .data, priority: .normal) }
    #expect(started(&queue) == [4, 5])
    queue.ended(id(4))
    #expect(started(&queue) == [6])
    queue.ended(id(1))
    #expect(started(&queue) == [3])
    #expect(queue.activeCount == 4)
  }

  @Test func waitingDownloadsOfTheSameServerAreListedInOrder() {
    var queue = DownloadQueue()
    queue.maximumPerHost = 1
    for number in 1...4 { queue.enqueue(id(UInt64(number)), lane: a, priority: .normal) }
    queue.enqueue(id(5), lane: a, priority: .high)
    queue.enqueue(id(6), lane: b, priority: .normal)
    queue.enqueue(id(7), lane: .local, priority: .normal)
    queue.enqueue(id(8), lane: .local, priority: .normal)
    queue.enqueue(id(9), lane: .local, priority: .normal)
    let first = started(&queue)

    let waiting = { (number: UInt64) in queue.waiting(behind: self.id(number), upTo: 3).map(\.number) }

    #expect(first.contains(5) && waiting(5) == [1, 2, 3])
    #expect(waiting(6).isEmpty && waiting(7).isEmpty && waiting(10).isEmpty)
    queue.isSuspended = true
    #expect(waiting(5).isEmpty, "nothing starts while the queue is suspended")
  }

  // MARK: Order

  @Test func gapOfMoreThanFiveMillisecondsBeginsANewBatch() {
    var queue = DownloadQueue()
    queue.maximumActive = 1
    queue.order = .newestBatch
    for (number, time) in [(1, 0), (2, 5), (3, 10)] as [(UInt64, Int)] {
      queue.enqueue(id(number), lane: a, priority: .normal, at: milliseconds(time))
    }
    queue.enqueue(id(4), lane: b, priority: .normal, at: milliseconds(15) + 1)

    var order: [UInt64] = []
    while let next = queue.startNext(at: milliseconds(20)) {
      order.append(next.number)
      queue.ended(next, status: 200)
    }

    #expect(order == [4, 1, 2, 3])
  }

  @Test(arguments: [(Prioritization.fifo, [1, 2, 3]), (.lifo, [3, 2, 1]), (.newestBatch, [3, 1, 2])])
  func orderHoldsAcrossHosts(order: Prioritization, expected: [UInt64]) {
    var queue = DownloadQueue()
    queue.maximumActive = 1
    queue.order = order
    queue.enqueue(id(1), lane: a, priority: .normal, at: milliseconds(0))
    queue.enqueue(id(2), lane: b, priority: .normal, at: milliseconds(1))
    queue.enqueue(id(3), lane: a, priority: .normal, at: milliseconds(100))

    var numbers: [UInt64] = []
    while let next = queue.startNext(at: milliseconds(100)) {
      numbers.append(next.number)
      queue.ended(next, status: 200)
    }

    #expect(numbers == expected)
  }

  @Test func retriedDownloadDoesNotCountAsNewest() {
    var queue = DownloadQueue()
    queue.maximumActive = 1
    queue.order = .newestBatch
    queue.enqueue(id(1), lane: a, priority: .normal, notBefore: milliseconds(100))
    queue.enqueue(id(2), lane: a, priority: .normal, at: milliseconds(50))
    queue.enqueue(id(3), lane: a, priority: .normal, at: milliseconds(50))

    #expect(queue.startNext(at: milliseconds(100)) == id(2))
    queue.ended(id(2), status: 200)
    #expect(queue.startNext(at: milliseconds(100)) == id(3))
    queue.ended(id(3), status: 200)
    #expect(queue.startNext(at: milliseconds(100)) == id(1))
  }

  // MARK: Bounds

  @Test func localReadsTakeNoDownloadSlot() {
    var queue = DownloadQueue()
    queue.maximumActive = 1
    for number in 1...3 as ClosedRange<UInt64> { queue.enqueue(id(number), lane: .local, priority: .high) }
    #expect(started(&queue) == [1, 2])

    queue.enqueue(id(4), lane: a, priority: .low)
    queue.enqueue(id(5), lane: b, priority: .low)

    #expect(started(&queue) == [4])
    queue.ended(id(1))
    #expect(started(&queue) == [3])
  }

  @Test(arguments: [0, -1, .min]) func boundsBelowOneCountAsOne(bound: Int) {
    var queue = DownloadQueue()
    queue.maximumActive = bound
    queue.maximumPerHost = bound
    for number in 1...2 as ClosedRange<UInt64> { queue.enqueue(id(number), lane: a, priority: .normal) }

    #expect(started(&queue) == [1])
    queue.ended(id(1), status: 200)
    #expect(started(&queue) == [2])
  }

  // MARK: Delays

  @Test func delayedDownloadStartsOnTimeWithItsNewPriority() {
    var queue = DownloadQueue()
    queue.maximumActive = 1
    queue.enqueue(id(1), lane: a, priority: .low, notBefore: milliseconds(100))
    queue.setPriority(.high, of: id(1))
    queue.enqueue(id(2), lane: a, priority: .normal)
    #expect(started(&queue) == [2])
    queue.ended(id(2), status: 200)
    #expect(started(&queue, at: 99).isEmpty, "the new priority does not end the delay")
    #expect(queue.nextChange(after: milliseconds(99)) == milliseconds(100))

    queue.enqueue(id(3), lane: a, priority: .normal, at: milliseconds(99))
    #expect(queue.startNext(at: milliseconds(100)) == id(1))
  }

  @Test func delayedDownloadsStartInTheOrderOfTheirTimes() {
    var queue = DownloadQueue()
    queue.order = .fifo
    for (number, time) in [(1, 30), (2, 10), (3, 20), (4, 10)] as [(UInt64, Int)] {
      queue.enqueue(id(number), lane: a, priority: .normal, notBefore: milliseconds(time))
    }
    #expect(queue.nextChange(after: 0) == milliseconds(10))

    #expect(started(&queue, at: 30) == [2, 4, 3, 1])
  }

  @Test func delayOfARemovedDownloadCausesNoWakeUp() {
    var queue = DownloadQueue()
    queue.enqueue(id(1), lane: a, priority: .normal, notBefore: milliseconds(10))
    queue.enqueue(id(2), lane: a, priority: .normal, notBefore: milliseconds(50))

    queue.remove(id(1))

    #expect(queue.nextChange(after: 0) == milliseconds(50))
    #expect(started(&queue, at: 20).isEmpty)
    #expect(started(&queue, at: 50) == [2])
    queue.ended(id(2), status: 200)
    #expect(queue.nextChange(after: milliseconds(50)) == nil)
    #expect(queue.waitingCount == 0)
  }

  @Test func returnOfTheNetworkEndsDelaysAndBackOff() {
    var queue = refused([1], retryAfter: 30)
    queue.enqueue(id(2), lane: a, priority: .normal)
    queue.enqueue(id(3), lane: b, priority: .normal, notBefore: milliseconds(1000))
    #expect(started(&queue, at: 1).isEmpty)

    queue.networkReturned()

    #expect(Set(started(&queue, at: 1)) == [2, 3])
  }

  // MARK: Rate limit

  @Test func onlyCancelledRunningNetworkDownloadsTakeTokens() {
    var queue = DownloadQueue()
    queue.rateLimit = RateLimit(burst: 1, perSecond: 0)
    queue.enqueue(id(1), lane: .local, priority: .normal)
    queue.enqueue(id(2), lane: .local, priority: .normal)
    #expect(started(&queue) == [1, 2])
    queue.remove(id(1))
    queue.maximumActive = 1
    queue.enqueue(id(3), lane: a, priority: .normal)
    queue.enqueue(id(4), lane: a, priority: .normal)
    #expect(started(&queue) == [3])
    queue.remove(id(4))

    queue.ended(id(3), status: 200)
    queue.enqueue(id(5), lane: a, priority: .normal)
    #expect(started(&queue) == [5])
    queue.remove(id(5))
    queue.enqueue(id(6), lane: a, priority: .normal)
    #expect(started(&queue).isEmpty, "the cancelled download took the token")
  }

  @Test func localReadsStartWithoutTokens() {
    var queue = DownloadQueue()
    queue.rateLimit = RateLimit(burst: 1, perSecond: 0)
    queue.enqueue(id(1), lane: a, priority: .normal)
    #expect(started(&queue) == [1])
    queue.remove(id(1))

    queue.enqueue(id(2), lane: .local, priority: .normal)

    #expect(started(&queue) == [2])
  }

  @Test func nextChangeIsWhenTokenAndHostAllowADownload() throws {
    var queue = refused([1], retryAfter: 2)
    queue.rateLimit = RateLimit(burst: 1, perSecond: 1)
    queue.enqueue(id(2), lane: b, priority: .normal)
    #expect(started(&queue) == [2])
    queue.remove(id(2))
    queue.enqueue(id(3), lane: a, priority: .normal)

    #expect(queue.nextChange(after: 0) == milliseconds(2000), "the token comes earlier than the host opens")
    queue.remove(id(3))
    queue.enqueue(id(4), lane: b, priority: .normal)
    let next = queue.nextChange(after: 0)
    let token = try #require(next)
    #expect((milliseconds(1000)...milliseconds(1001)).contains(token))
  }

  // MARK: Servers that ask for a pause

  @Test func failureWithoutAResponseLetsOneMoreDownloadProbe() {
    var queue = refused([1], retryAfter: 1)
    queue.enqueue(id(2), lane: a, priority: .normal)
    queue.enqueue(id(3), lane: a, priority: .normal)
    #expect(started(&queue, at: 1000) == [2], "one download probes the host")

    queue.ended(id(2), status: nil, at: milliseconds(1000))

    #expect(started(&queue, at: 1000) == [3], "exactly one other download probes the host")
    queue.enqueue(id(4), lane: a, priority: .normal, at: milliseconds(1000))
    #expect(started(&queue, at: 1000).isEmpty)
    queue.ended(id(3), status: 200, at: milliseconds(1000))
    #expect(started(&queue, at: 1000) == [4])
  }

  @Test func laterRefusalNeverShortensThePause() {
    var queue = DownloadQueue()
    for number in 1...2 as ClosedRange<UInt64> { queue.enqueue(id(number), lane: a, priority: .normal) }
    #expect(started(&queue) == [1, 2])
    queue.ended(id(1), status: 429, retryAfter: 30)
    queue.ended(id(2), status: 429, retryAfter: 1)
    queue.enqueue(id(3), lane: a, priority: .normal)

    #expect(queue.nextChange(after: 0) == milliseconds(30_000))
    #expect(started(&queue, at: 29_999).isEmpty)
    #expect(started(&queue, at: 30_000) == [3])
  }

  @Test func successOfAnEarlierDownloadDoesNotEndThePause() {
    var queue = DownloadQueue()
    for number in 1...2 as ClosedRange<UInt64> { queue.enqueue(id(number), lane: a, priority: .normal) }
    #expect(started(&queue) == [1, 2])
    queue.ended(id(1), status: 429, retryAfter: 30)
    queue.ended(id(2), status: 200)
    queue.enqueue(id(3), lane: a, priority: .normal)

    #expect(started(&queue, at: 1).isEmpty)
  }

  @Test(arguments: [(59.0, 59.0), (120, 120), (3600, 3600), (86_400, 3600)])
  func pauseThatTheServerStatesIsObeyedForUpToAnHour(stated: Double, pause: Double) {
    var queue = DownloadQueue()
    queue.backOff.maximumPause = 10
    queue.enqueue(id(1), lane: a, priority: .normal)
    #expect(started(&queue) == [1])
    queue.ended(id(1), status: 503, retryAfter: stated)
    queue.enqueue(id(2), lane: a, priority: .normal)

    #expect(queue.nextChange(after: 0) == milliseconds(Int(pause * 1000)))
  }

  @Test func pauseThatTheServerDoesNotStateIsLimitedToTheMaximum() {
    var queue = DownloadQueue()
    queue.backOff.maximumPause = 1.5
    queue.enqueue(id(1), lane: a, priority: .normal)
    #expect(started(&queue) == [1])
    queue.ended(id(1), status: 429, retryAfter: nil)
    queue.enqueue(id(2), lane: a, priority: .normal)
    #expect(started(&queue, at: 1000) == [2])
    queue.ended(id(2), status: 429, retryAfter: nil)
    queue.enqueue(id(3), lane: a, priority: .normal)

    #expect(queue.nextChange(after: 0) == milliseconds(1500))
  }

  @Test func status503WithoutRetryAfterDoesNotPauseTheHost() {
    var queue = DownloadQueue()
    queue.enqueue(id(1), lane: a, priority: .normal)
    #expect(started(&queue) == [1])
    queue.ended(id(1), status: 503, retryAfter: nil)
    queue.enqueue(id(2), lane: a, priority: .normal)

    #expect(started(&queue) == [2])
  }
}
