import FoundationEssentials
import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Number and order of downloads, as the transport sees them.
@MainActor @Suite(.timeLimit(.minutes(5))) struct QueueingTests {
  /// Names of the images in the order in which their downloads started.
  private func started(_ world: Fixture) -> String {
    world.transport.transfers.map { $0.request.url.deletingPathExtension().lastPathComponent }.joined()
  }

  /// Responds to the running transfers one by one until none is left.
  private func respondToAll(_ world: Fixture) {
    while let transfer = world.transport.running.first { transfer.respond(with: Fixture.body) }
  }

  @Test("AF-D20 first in, first out") func fifoStartsDownloadsInOrderOfArrival() {
    let world = Fixture {
      $0.queue.maximumActiveDownloads = 1
      $0.queue.prioritization = .fifo
    }
    for name in ["A", "B", "C", "D"] {
      world.downloader.load(request(name))
      world.clock.advance(by: 1)
    }

    respondToAll(world)

    #expect(started(world) == "ABCD")
  }

  @Test("AF-D21 last in, first out") func lifoStartsTheNewestDownloadFirst() {
    let world = Fixture {
      $0.queue.maximumActiveDownloads = 1
      $0.queue.prioritization = .lifo
    }
    for name in ["A", "B", "C", "D"] { world.downloader.load(request(name)) }

    respondToAll(world)

    #expect(started(world) == "ADCB")
  }

  @Test func newestBatchStartsFirstInItsOwnOrder() {
    let world = Fixture { $0.queue.maximumActiveDownloads = 1 }
    #expect(world.downloader.prioritization == .newestBatch)
    for names in [["A", "B", "C"], ["D", "E"], ["F", "G"]] {
      for name in names { world.downloader.load(request(name)) }
      world.clock.advance(by: 1.0 / 60)
    }

    respondToAll(world)

    #expect(started(world) == "AFGDEBC")
  }

  @Test("SD-D16 last in, first out, also for requests that arrive while downloads run")
  func lifoAppliesToRequestsThatArriveLater() {
    let world = Fixture {
      $0.queue.maximumActiveDownloads = 1
      $0.queue.prioritization = .lifo
    }
    func load(_ numbers: ClosedRange<Int>) {
      for number in numbers { world.downloader.load(request(String(number, radix: 16))) }
    }
    load(1...7)
    world.transport.running[0].respond(with: Fixture.body)
    load(8...14)
    respondToAll(world)

    #expect(started(world) == "17edcba9865432")
  }

  @Test func orderCanBeChangedWhileDownloadsWait() {
    let world = Fixture { $0.queue.maximumActiveDownloads = 1 }
    for name in ["A", "B", "C", "D"] { world.downloader.load(request(name)) }

    world.downloader.prioritization = .lifo
    world.transport.running[0].respond(with: Fixture.body)
    world.downloader.prioritization = .fifo
    respondToAll(world)

    #expect(started(world) == "ADBC")
  }

  @Test("AF-D22 no more downloads run than the maximum, by default 6 in all and 4 per host")
  func maximumLimitsRunningDownloads() {
    let world = Fixture()
    for number in 0..<20 { world.downloader.load(request("\(number)", host: "a.test")) }
    #expect(world.transport.running.count == 4)

    for number in 0..<20 { world.downloader.load(request("\(number)", host: "b.test")) }
    #expect(world.transport.running.count == 6)

    var highest = 0
    while let transfer = world.transport.running.first {
      transfer.respond(with: Fixture.body)
      highest = max(highest, world.transport.running.count)
    }
    #expect(highest == 6)
    #expect(world.transport.transfers.count == 40)
  }

  @Test("AF-D23 cancelling a waiting download starts no other")
  func cancellingAWaitingDownloadStartsNoOther() {
    let world = Fixture { $0.queue.maximumActiveDownloads = 2 }
    let tasks = (0..<6).map { world.downloader.load(request("\($0)")) }

    for task in tasks[2...4] { task.cancel() }

    #expect(started(world) == "01")
    #expect(world.transport.running.count == 2)
    world.transport.transfers[0].respond(with: Fixture.body)
    #expect(started(world) == "015")
    // The same holds after a few more requests.
    for number in 6..<12 { world.downloader.load(request("\(number)")) }
    var highest = world.transport.running.count
    while let transfer = world.transport.running.first {
      transfer.respond(with: Fixture.body)
      highest = max(highest, world.transport.running.count)
    }
    #expect(highest == 2)
    #expect(world.transport.transfers.count == 9)
  }

  @Test("AF-D24 failed downloads make room for others") func failedDownloadsMakeRoomForOthers() async throws {
    let world = Fixture { $0.queue.maximumActiveDownloads = 2 }
    let tasks = (0..<7).map { world.downloader.load(request("\($0)")) }

    while let transfer = world.transport.running.first { transfer.fail(.status(500)) }

    for task in tasks { await #expect(throws: ImageError.status(500)) { try await task.response } }
    world.downloader.load(request("next"))
    #expect(world.transport.running.count == 1)
  }

  @Test func limitsCanBeChangedWhileDownloadsWait() {
    let world = Fixture { $0.queue.maximumActiveDownloads = 1 }
    for number in 0..<9 { world.downloader.load(request("\(number)")) }

    world.downloader.maximumActiveDownloads = 3
    #expect(world.transport.running.count == 3)
    world.downloader.maximumActiveDownloads = 8
    #expect(world.transport.running.count == 4)
    world.downloader.maximumActiveDownloadsPerHost = 100
    #expect(world.transport.running.count == 8)
    world.downloader.maximumActiveDownloads = 0
    world.transport.running[0].respond(with: Fixture.body)
    #expect(world.transport.running.count == 7)
    respondToAll(world)
    #expect(world.transport.transfers.count == 9, "a limit of 0 counts as 1")
  }

  @Test func higherPriorityStartsFirst() {
    let world = Fixture { $0.queue.maximumActiveDownloads = 1 }
    world.downloader.load(request("0"))
    world.downloader.load(request("l", priority: .low))
    world.downloader.load(request("n"))
    world.downloader.load(request("H", priority: .veryHigh))

    respondToAll(world)

    #expect(started(world) == "0Hnl")
  }

  @Test func priorityCanBeChangedWhileALoadWaits() {
    let world = Fixture { $0.queue.maximumActiveDownloads = 1 }
    world.downloader.load(request("0"))
    world.downloader.load(request("1"))
    let task = world.downloader.load(request("2"))

    task.priority = .high

    respondToAll(world)
    #expect(started(world) == "021")
    #expect(task.priority == .high)
  }

  @Test("SD-D39 a shared load has the highest priority of its tasks")
  func sharedLoadHasTheHighestPriorityOfItsTasks() {
    let world = Fixture { $0.queue.maximumActiveDownloads = 1 }
    world.downloader.load(request("0"))
    world.downloader.load(request("s", priority: .low))
    let urgent = world.downloader.load(request("s", priority: .high))
    world.downloader.load(request("n"))
    world.downloader.load(request("t", priority: .low))
    world.downloader.load(request("t", priority: .high))

    urgent.cancel()

    respondToAll(world)
    #expect(started(world) == "0tns", "recalculated when a task leaves")
  }

  @Test func undecodedBytesDelayFurtherDownloads() async throws {
    let world = Fixture(
      {
        $0.memory.undecodedBytesLimit = 1
        $0.queue.maximumActiveDownloads = 1
      }, decodingIsHeld: true)
    let first = world.downloader.load(request("0"))
    let second = world.downloader.load(request("1"))

    world.transport.transfers[0].respond(with: Fixture.body)
    await world.gate.waitUntilHeld(1)
    #expect(started(world) == "0")

    world.gate.open()
    _ = try await first.response
    try await world.transport.waitUntilStarted(2)
    #expect(started(world) == "01")
    world.transport.transfers[1].respond(with: Fixture.body)
    _ = try await second.response
  }

  @Test func cancellingADecodeStartsTheNextDownload() async {
    let world = Fixture(
      {
        $0.memory.undecodedBytesLimit = 1
        $0.queue.maximumActiveDownloads = 1
      }, decodingIsHeld: true)
    let first = world.downloader.load(request("0"))
    world.downloader.load(request("1"))
    world.transport.transfers[0].respond(with: Fixture.body)
    await world.gate.waitUntilHeld(1)

    first.cancel()

    #expect(started(world) == "01")
    world.gate.open()
  }

  @Test func slowDownloadDoesNotDelayALocalLoad() async throws {
    let world = Fixture { $0.queue.maximumActiveDownloads = 1 }
    world.downloader.load(request("slow"))

    let response = try await world.downloader.image(for: "data:,5 5 0 0 0 255")

    #expect(response.source == .file)
    #expect(response.http?.status == nil)
  }

  @Test(arguments: [("1.1", 2), ("2", 5)])
  func serverWithHTTP2ReceivesAllRequestsAtOnce(version: String, running: Int) async throws {
    let world = Fixture {
      $0.queue.maximumActiveDownloads = 20
      $0.queue.maximumActiveDownloadsPerHost = 2
    }
    let first = world.downloader.load(request("0"))
    for name in 1...5 { world.downloader.load(request("\(name)")) }
    #expect(started(world) == "01")
    let transfer = world.transport.transfers[0]
    transfer.respond()
    transfer.send(Fixture.body)
    transfer.finish(TransportMetrics(requests: 1, httpVersion: version))
    _ = try await first.response
    #expect(world.downloader.activeDownloadCount == running)
  }
}
