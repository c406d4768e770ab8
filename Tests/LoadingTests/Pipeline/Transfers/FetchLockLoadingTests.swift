import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Loads whose disk cache has fetch locks that another process may hold.
@Suite(.timeLimit(.minutes(5))) struct FetchLockLoadingTests {
  private static let minute = DiskWorld.minute

  private func world(
    _ disk: SharedDisk, _ configure: @escaping (inout ImageDownloader.Configuration) -> Void = { _ in }
  ) -> (world: Fixture, calendar: DiskWorld.Calendar) {
    let calendar = DiskWorld.Calendar()
    let world = Fixture(
      {
        $0.environment.wallClock = { calendar.now }
        configure(&$0)
      }, dataCache: disk)
    return (world, calendar)
  }

  /// Stores a response, as another process would.
  private func store(
    _ disk: SharedDisk, at time: Double, _ headers: HTTPHeaders = Self.minute,
    body: [UInt8] = Fixture.body
  ) {
    let stored = StoredResponse(
      response: TransportResponse(url: url(), status: 200, headers: headers), body: body,
      requested: time, received: time)
    _ = disk.store(stored, for: request().identity)
  }

  /// Advances the time until `condition` is true, while nothing else is to be done.
  private func advance(_ world: Fixture, until condition: () -> Bool) async throws {
    let engine = world.downloader.engine
    try await until {
      if condition() { return true }
      if !engine.isBusy { world.clock.advance(by: 0.1) }
      return false
    }
  }

  @Test func lockIsHeldUntilTheResponseIsStored() async throws {
    let disk = SharedDisk()
    let (world, _) = world(disk)
    let task = world.downloader.load(request())
    let transfer = try await world.transport.transfer(1)
    #expect(disk.held == ["http://a.test/a.jpg"])

    transfer.respond(with: Fixture.body, Self.minute)
    _ = try await task.response
    await world.downloader.drain()

    #expect(disk.memory.storeCount == 1)
    #expect(disk.held == [] && disk.locks.map(\.releases) == [1])
  }

  @Test("the locks of the next downloads are taken early, once each", arguments: [false, true])
  func locksOfTheNextDownloadsAreTakenEarly(hasIncomplete: Bool) async throws {
    let disk = SharedDisk()
    let (world, calendar) = world(disk) { $0.queue.maximumActiveDownloads = 1 }
    if hasIncomplete {
      let head = TransportResponse(
        url: url("b.jpg"), status: 200, headers: ["ETag": "\"1\"", "Accept-Ranges": "bytes"],
        expectedLength: 2 * ResumableData.minimumBytes)
      let beginning = StoredResponse(
        response: head, body: [UInt8](repeating: 1, count: ResumableData.minimumBytes),
        requested: calendar.now, received: calendar.now)
      _ = disk.storeIncomplete(beginning, for: request("b.jpg").identity)
    }
    let tasks = ["before.jpg", "a.jpg", "b.jpg", "c.jpg"].map { world.downloader.load(request($0)) }
    let before = try await world.transport.transfer(1)
    try await until { world.downloader.engine.queue.waitingCount == 3 }
    before.respond(with: Fixture.body, Self.minute)
    _ = try await world.transport.transfer(2)
    try await until { !world.downloader.engine.isBusy }
    #expect(disk.locks.count == 4, "all are asked about while the second one is loading")

    for number in 2...4 {
      let transfer = try await world.transport.transfer(number)
      let isResumed = transfer.request.headers["Range"] != nil
      #expect(isResumed == (hasIncomplete && number == 3))
      if isResumed { transfer.fail(.status(404)) } else { transfer.respond(with: Fixture.body, Self.minute) }
      _ = try? await tasks[number - 1].response
    }
    await world.downloader.drain()
    let releases = Array(repeating: 1, count: hasIncomplete ? 5 : 4)
    #expect(disk.locks.map(\.releases) == releases && disk.held == [])
  }

  /// Asks the disk about downloads, in several calls. Returns the numbers of the downloads in each report.
  private func reports(
    _ world: Fixture, _ disk: SharedDisk, about questions: [(numbers: ClosedRange<UInt64>, isEarly: Bool)]
  ) async throws -> [[UInt64]] {
    let preparer = world.downloader.engine.preparer
    // The answers are kept, because the release of a lock is other work of the thread.
    let answers = Shared<[[(id: FetchID, preparation: FetchPreparation)]]>([])
    for (numbers, isEarly) in questions {
      let questions = numbers.map {
        FetchQuestion(
          id: FetchID(number: $0), request: request("\($0).jpg"), takesLock: true, continues: false,
          isEarly: isEarly)
      }
      preparer.prepare(
        questions, isResumable: { _ in false }, reading: { _, _ in },
        completion: { ready in answers.withLock { $0.append(ready) } })
    }
    disk.lockGate.open()
    try await until { preparer.isIdle }
    let reports = answers.withLock { $0.map { $0.map(\.id.number) } }
    answers.withLock { $0 = [] }
    await world.downloader.drain()
    return reports
  }

  @Test func earlyQuestionsDelayNoTransferFromAnotherServer() async throws {
    let disk = SharedDisk(lockGate: Gate())
    let (world, _) = world(disk)

    let reports = try await reports(world, disk, about: [(1...3, true), (9...9, false)])

    #expect(reports == [[1], [9], [2, 3]], "answers without a break come together")
  }

  @Test func slowDiskReportsEachAnswerAtOnce() async throws {
    let disk = SharedDisk(lockGate: Gate())
    let (world, _) = world(disk)
    let clock = world.clock
    disk.delayLocks { clock.advance(by: FetchPreparer.reportInterval) }

    let reports = try await reports(world, disk, about: [(1...3, true)])

    #expect(reports == [[1], [2], [3]], "a transfer may wait for one of them")
  }

  @Test(arguments: [404, 200]) func lockIsReleasedWithTheHeadOfAResponseThatIsNotStored(status: Int)
    async throws
  {
    let disk = SharedDisk()
    let (world, _) = world(disk)
    let task = world.downloader.load(request())
    let transfer = try await world.transport.transfer(1)

    transfer.respond(status: status, headers: ["Cache-Control": "no-store"])

    try await until { disk.held == [] }
    transfer.fail(.status(500))
    _ = try? await task.response
  }

  @Test func imageOfAnotherProcessIsShownFromDisk() async throws {
    let disk = SharedDisk()
    disk.holdElsewhere(progress: 1)
    let (world, calendar) = world(disk)
    let task = world.downloader.load(request())
    try await advance(world) { disk.checks >= 3 }
    #expect(world.transport.transfers.isEmpty && !task.isFinished)

    store(disk, at: calendar.now)
    disk.holdElsewhere(progress: nil)
    try await advance(world) { task.isFinished }

    #expect(try await task.response.source == .disk)
    #expect(world.transport.transfers.isEmpty && disk.held == [])
    await world.downloader.drain()
  }

  @Test("a process that hangs delays the others for a limited time")
  func processThatHangsDelaysOthersForALimitedTime() async throws {
    let disk = SharedDisk()
    disk.holdElsewhere(progress: 1)
    let (world, _) = world(disk)
    let task = world.downloader.load(request())

    try await advance(world) { !world.transport.transfers.isEmpty }

    let waited = Double(world.clock.now) / 1e9
    #expect(waited >= FetchLocks.patience && waited < FetchLocks.patience + 1)
    #expect(disk.locks.isEmpty)
    world.transport.transfers[0].respond(with: Fixture.body, Self.minute)
    #expect(try await task.response.source == .network)
    await world.downloader.drain()
  }

  @Test func staleImageIsShownWhileAnotherProcessFetches() async throws {
    let disk = SharedDisk()
    let (world, calendar) = world(disk)
    store(disk, at: calendar.now - 3600)
    disk.holdElsewhere(progress: 1)
    let task = world.downloader.load(request())
    try await advance(world) { task.isFinished }
    #expect(try await task.response.source == .disk)
    #expect(world.transport.transfers.isEmpty)
    // The revalidation that waits is served by the response of the other process.
    store(disk, at: calendar.now)
    disk.holdElsewhere(progress: nil)
    try await advance(world) { !world.downloader.isRunning }
    #expect(world.transport.transfers.isEmpty)
    await world.downloader.drain()
  }

  @Test("an image that another process has replaced is a new image, and not a confirmed one")
  func imageThatAnotherProcessHasReplacedIsNew() async throws {
    let disk = SharedDisk()
    let (world, calendar) = world(disk)
    store(disk, at: calendar.now - 3600)
    disk.holdElsewhere(progress: 1)
    let task = world.downloader.load(request(policy: .refresh))
    try await advance(world) { disk.checks >= 1 }

    store(disk, at: calendar.now, body: FakeDecoder.encodedImage(width: 32, height: 32))
    disk.holdElsewhere(progress: nil)
    try await advance(world) { task.isFinished }

    let response = try await task.response
    #expect(response.freshness == .fresh && response.image.pixelWidth == 32)
    #expect(world.transport.transfers.isEmpty)
    await world.downloader.drain()
  }

  @Test func conditionalRequestKeepsTheLockUntilTheNewHeadIsStored() async throws {
    let disk = SharedDisk()
    let (world, calendar) = world(disk)
    store(disk, at: calendar.now - 3600)
    let task = world.downloader.load(request())
    let transfer = try await world.transport.transfer(1)
    #expect(transfer.request.headers["If-None-Match"] == "\"one\"" && disk.held.count == 1)

    transfer.respond(status: 304, headers: Self.minute)
    #expect(disk.held.count == 1)
    transfer.finish()

    #expect(try await task.response.freshness == .revalidated)
    await world.downloader.drain()
    #expect(disk.held == [] && disk.memory.storeCount == 2)
  }

  @Test func responseThatWasStoredMeanwhileIsNotFetchedAgain() async throws {
    let disk = SharedDisk(lockGate: Gate())
    let (world, calendar) = world(disk)
    let task = world.downloader.load(request())
    await disk.lockGate.waitUntilHeld(1)
    // Another process stores the response between the lookup and the lock.
    store(disk, at: calendar.now)
    disk.secondsSinceStore = 0

    disk.lockGate.open()

    #expect(try await task.response.source == .disk)
    #expect(world.transport.transfers.isEmpty)
    await world.downloader.drain()
    #expect(disk.held == [] && disk.locks.count == 1)
  }

  @Test func lockThatHangsDelaysNoTransferForLong() async throws {
    let disk = SharedDisk(lockGate: Gate())
    let (world, _) = world(disk)
    let task = world.downloader.load(request())
    await disk.lockGate.waitUntilHeld(1)
    #expect(world.transport.transfers.isEmpty)

    world.clock.advance(by: FetchLocks.answerLimit)

    world.transport.transfers.first?.respond(with: Fixture.body, Self.minute)
    #expect(try await task.response.source == .network)
    // Later fetches do not ask a disk that hangs.
    let next = world.downloader.load(request("b.jpg"))
    try await world.transport.transfer(2).respond(with: Fixture.body, Self.minute)
    _ = try await next.response
    disk.lockGate.open()
    await world.downloader.drain()
    #expect(disk.held == [])
  }

  @Test func drainDoesNotWaitForALockThatHangs() async throws {
    let disk = SharedDisk(lockGate: Gate())
    let (world, _) = world(disk)
    let task = world.downloader.load(request())
    await disk.lockGate.waitUntilHeld(1)
    task.cancel()
    let (downloader, clock) = (world.downloader, world.clock)
    let drained = Task { await downloader.drain() }
    let end = clock.now.advanced(bySeconds: DiskWrites.limit)
    try await until { clock.wakes.contains(end) }

    clock.advance(by: DiskWrites.limit)

    await drained.value
    disk.lockGate.open()
  }

  @Test func processReportsThatItWaitsForItsServer() async throws {
    let disk = SharedDisk()
    let (world, _) = world(disk)
    let preparer = world.downloader.engine.preparer
    let task = world.downloader.load(request())
    let transfer = try await world.transport.transfer(1)
    for number in 1...3 {
      world.clock.advance(by: FetchLockHold.reportInterval)
      try await until { disk.locks.first?.waits == number }
    }

    transfer.respond(headers: Self.minute, expectedLength: Fixture.body.count)
    for _ in 0..<3 { world.clock.advance(by: FetchLockHold.reportInterval) }
    try await until { preparer.isIdle }

    #expect(disk.locks.first?.waits == 3 && disk.locks.first?.progress == 1)
    transfer.send(Fixture.body)
    transfer.finish()
    _ = try await task.response
    await world.downloader.drain()
  }

  @Test func progressIsReportedWhileBytesArrive() async throws {
    let disk = SharedDisk()
    let (world, _) = world(disk)
    let task = world.downloader.load(request())
    let transfer = try await world.transport.transfer(1)
    transfer.respond(headers: Self.minute, expectedLength: Fixture.body.count)
    for byte in Fixture.body.prefix(4) {
      transfer.send([byte])
      world.clock.advance(by: FetchLockHold.reportInterval)
    }
    try await until { disk.locks.first?.progress == 3 }
    transfer.send(Array(Fixture.body.dropFirst(4)))
    transfer.finish()
    _ = try await task.response
    await world.downloader.drain()
  }

  @Test("the end of a program stores the bytes of all downloads, also more than may wait to be written")
  func endOfTheProgramStoresAllDownloads() async throws {
    let gate = Gate()
    let disk = SharedDisk(removalGate: gate)
    let (world, _) = world(disk)
    let received = DiskWrites.unwrittenBytesLimit * 2 / 3
    var tasks: [ImageTask] = []
    for (number, name) in ["a.jpg", "b.jpg"].enumerated() {
      tasks.append(world.downloader.load(request(name)))
      let transfer = try await world.transport.transfer(number + 1)
      transfer.respond(headers: ["ETag": "\"1\""], expectedLength: received + 1)
      transfer.send([UInt8](repeating: 7, count: received))
    }
    // The disk is busy meanwhile.
    world.downloader.removeCachedData(for: request("c.jpg")) { _ in }
    await gate.waitUntilHeld(1)

    world.downloader.engine.finishWriting(within: 0)
    gate.open()
    _ = await world.downloader.engine.diskWriter.access(.scan) { _ in }

    #expect(disk.incomplete.map(\.body.count) == [received, received])
    for task in tasks { task.cancel() }
    await world.downloader.drain()
  }

  @Test func secondFetchDoesNotWaitForTheLockOfABodyThatWaitsForSlots() async throws {
    let disk = SharedDisk()
    let (world, _) = world(disk)
    let other = world.downloader.load(request("other.jpg"), isForSlot: true)
    _ = try await world.transport.transfer(1)
    let first = world.downloader.load(request(), isForSlot: true)
    try await world.transport.transfer(2).respond(with: Fixture.body, Self.minute)
    _ = try await first.response

    // The clock stands still.
    let second = world.downloader.load(request(policy: .reload))
    try await world.transport.transfer(3).respond(with: Fixture.body, Self.minute)
    #expect(try await second.response.source == .network)
    other.cancel()
    await world.downloader.drain()
  }

  @Test func requestsOfOneProcessShareOneTransfer() async throws {
    let disk = SharedDisk()
    let (world, _) = world(disk)
    let tasks = (0..<3).map { _ in world.downloader.load(request()) }
    try await world.transport.transfer(1).respond(with: Fixture.body, Self.minute)
    for task in tasks { _ = try await task.response }
    await world.downloader.drain()
    #expect(world.transport.transfers.count == 1 && disk.locks.count == 1)
  }
}
