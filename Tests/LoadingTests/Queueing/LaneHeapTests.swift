import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// The memory for hosts is bounded, and a heap finds the next of many hosts.
@Suite(.timeLimit(.minutes(5))) struct LaneHeapTests {
  private func lane(_ number: Int) -> DownloadQueue.Lane {
    .host(scheme: "https", name: "\(number).test", port: nil)
  }

  @Test func memoryOfAHundredThousandHostsIsBounded() {
    var queue = DownloadQueue()
    queue.maximumActive = 1
    for number in 0..<100_000 {
      let now = Int64(number)
      let id = FetchID(number: UInt64(number + 1))
      queue.enqueue(id, lane: lane(number), priority: .normal, at: now)
      guard queue.startNext(at: now) == id else { return #expect(Bool(false), "host \(number)") }
      // Some servers speak HTTP/2, some answer 429.
      queue.ended(
        id, status: number % 3 == 0 ? 429 : 200, retryAfter: number % 3 == 0 ? 0 : nil,
        speaksHTTP2: number % 2 == 0, at: now)
    }

    #expect(
      queue.rememberedHosts
        <= 2 * HostBackOff.limit + DownloadQueue.rememberedServers + DownloadQueue.maximumIdleHosts)
    #expect(queue.waitingCount == 0 && queue.activeCount == 0)
  }

  @Test func hostsOfCancelledWaitingDownloadsAreForgotten() {
    var queue = DownloadQueue()
    for number in 0..<10_000 {
      queue.enqueue(FetchID(number: UInt64(number + 1)), lane: lane(number), priority: .normal)
    }
    for number in 0..<10_000 { queue.remove(FetchID(number: UInt64(number + 1))) }
    #expect(queue.rememberedHosts <= DownloadQueue.maximumIdleHosts)
  }

  @Test(arguments: [Prioritization.fifo, .lifo, .newestBatch])
  func heapHasTheSameOrderAsSorting(order: Prioritization) {
    typealias Head = WaitingList<FetchID>.Head
    var heap = LaneHeap(order: .fifo)
    var model: [Int: Head] = [:]
    var random = SplitMix(state: 7)
    for step in 0..<3000 {
      if step == 1500 { heap.order = order }
      let lane = Int(random.next() % 60)
      let number = UInt64(step + 1)
      let head = Head(
        item: FetchID(number: number), priority: Int(random.next() % 5),
        ticket: WaitingTicket(number: number, batch: number / 10))
      let new = random.next() % 4 == 0 ? nil : head
      heap.set(new, for: lane)
      model[lane] = new
      let best = model.values.min { $0.goes(before: $1, in: heap.order) }
      #expect(heap.first?.head.item == best?.item)
    }
  }

  @Test func hostOfADelayedDownloadKeepsItsLimit() {
    var queue = DownloadQueue()
    queue.maximumPerHost = 1
    let count = DownloadQueue.maximumIdleHosts + 4
    let resting = FetchID(number: 1)
    queue.enqueue(resting, lane: lane(0), priority: .normal, notBefore: 10)
    // More hosts than the queue keeps come and go while the download is delayed.
    for number in 1...count {
      queue.enqueue(FetchID(number: UInt64(number + 1)), lane: lane(number), priority: .normal)
    }
    for number in 1...count { queue.remove(FetchID(number: UInt64(number + 1))) }
    let running = FetchID(number: 100)
    queue.enqueue(running, lane: lane(0), priority: .normal)

    var started = [queue.startNext(), queue.startNext(at: 10)]
    #expect(started == [running, nil], "both downloads are of one host, whose limit is 1")
    queue.ended(running, at: 10)
    started = [queue.startNext(at: 10)]
    #expect(started == [resting])
  }

  @Test func cancellingAWaitingDownloadFreesNoSlotOfItsHost() {
    var queue = DownloadQueue()
    queue.maximumActive = 100
    queue.maximumPerHost = 2
    let ids = (1...6).map { FetchID(number: $0) }
    for id in ids { queue.enqueue(id, lane: lane(0), priority: .normal) }
    var started = (0..<3).map { _ in queue.startNext() }
    #expect(started == [ids[0], ids[1], nil])

    for id in ids[2...4] { queue.remove(id) }

    started = [queue.startNext()]
    #expect(started == [nil], "two downloads of the host still run")
    queue.ended(ids[0])
    started = (0..<2).map { _ in queue.startNext() }
    #expect(started == [ids[5], nil])
  }
}
