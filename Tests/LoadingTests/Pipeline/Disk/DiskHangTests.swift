import FoundationEssentials
import Synchronization
import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// A disk that is slow or never responds.
@MainActor @Suite(.timeLimit(.minutes(5))) struct DiskHangTests {
  private static let other = FakeDecoder.encodedImage(width: 32, height: 32)

  /// Returns a world whose first lookups hang.
  private func hanging(_ gate: Gate) -> DiskWorld { DiskWorld(lookupsAreHeldBy: gate) }

  /// Loads an image whose stale response the disk has not found in time. Returns the transfer that has started.
  private func loadWithALateStaleHit(
    in world: DiskWorld, _ gate: Gate
  ) async throws -> (ImageTask, FakeTransfer) {
    world.store(age: 100)
    let task = world.downloader.load(request())
    await gate.waitUntilHeld(1)
    world.world.clock.advance(by: LookupLine.deadline)
    return (task, try await world.transfer())
  }

  /// Responds to all requests, also to later ones.
  private func respondToAll(in world: DiskWorld) {
    world.transport.respondToAll { $0.respond(with: Fixture.body, DiskWorld.minute) }
    for transfer in world.transport.running { transfer.respond(with: Fixture.body, DiskWorld.minute) }
  }

  @Test func networkGoesAheadOfADiskThatHangs() async throws {
    let gate = Gate()
    let world = hanging(gate)
    let tasks = (0..<8).map { world.downloader.load(request("\($0).jpg", host: "\($0).test")) }
    await gate.waitUntilHeld(2)
    #expect(world.transport.transfers.isEmpty)

    world.world.clock.advance(by: LookupLine.deadline)
    #expect(!world.transport.transfers.isEmpty)
    await gate.waitUntilHeld(4)
    world.world.clock.advance(by: LookupLine.deadline)

    respondToAll(in: world)
    for task in tasks { #expect(try await task.response.source == .network) }
    // Further lookups wait, and the network goes ahead at once.
    #expect(try await world.downloader.image(for: request("next.jpg")).source == .network)
    await world.downloader.drain()
    gate.open()
  }

  @Test func lookupsContinueAfterHangingLookupsReturn() async throws {
    let gate = Gate()
    let world = hanging(gate)
    world.store("kept.jpg")
    let tasks = (0..<4).map { world.downloader.load(request("\($0).jpg")) }
    for waitingLookups in [2, 4] {
      await gate.waitUntilHeld(waitingLookups)
      world.world.clock.advance(by: LookupLine.deadline)
    }
    respondToAll(in: world)
    for task in tasks { _ = try await task.response }

    gate.open()
    await gate.waitUntilHeld(0)
    try await until { world.downloader.isDiskResponding }

    #expect(try await world.downloader.image(for: request("kept.jpg")).source == .disk)
  }

  @Test func lateHitIsShownIfTheServerHasNotResponded() async throws {
    let gate = Gate()
    let world = hanging(gate)
    world.store()
    let recorder = Recorder<Result<ImageResponse, ImageError>>()
    world.downloader.load(request(), completion: recorder.add)
    await gate.waitUntilHeld(1)
    world.world.clock.advance(by: LookupLine.deadline)
    let transfer = try await world.transfer()

    gate.open()

    #expect(try await recorder.wait(for: 1)[0].get().source == .disk)
    transfer.respond(with: Self.other, DiskWorld.minute)
    await world.downloader.drain()
    #expect(recorder.values.count == 1)
  }

  @Test func lateHitIsNotShownIfTheServerHasResponded() async throws {
    let gate = Gate()
    let world = hanging(gate)
    world.store()
    let recorder = Recorder<Result<ImageResponse, ImageError>>()
    world.downloader.load(request(), completion: recorder.add)
    await gate.waitUntilHeld(1)
    world.world.clock.advance(by: LookupLine.deadline)
    let transfer = try await world.transfer()
    transfer.respond(headers: DiskWorld.minute, expectedLength: Self.other.count)

    gate.open()
    await gate.waitUntilHeld(0)
    try await until { world.downloader.isDiskResponding }
    transfer.send(Self.other)
    transfer.finish()

    #expect(try await recorder.wait(for: 1)[0].get().source == .network)
    await world.downloader.drain()
    #expect(recorder.values.count == 1)
  }

  @Test func lateHitIsShownIfTheServerFails() async throws {
    let gate = Gate()
    let world = hanging(gate)
    let (task, transfer) = try await loadWithALateStaleHit(in: world, gate)

    gate.open()
    try await until { world.downloader.isDiskResponding }
    transfer.refuse(503)

    #expect(try await task.response.freshness == .stale(age: 100, reason: .status(503)))
  }

  @Test func lateStaleHitIsShownASecondAfterTheRequestIfTheServerHangs() async throws {
    let gate = Gate()
    let world = hanging(gate)
    let (task, transfer) = try await loadWithALateStaleHit(in: world, gate)
    world.world.clock.advance(by: 0.9)

    gate.open()
    try await until { world.downloader.isDiskResponding }
    #expect(!task.isFinished)
    world.world.clock.advance(by: 0.1)
    // The deadline may be set shortly after the lookup has ended.
    try await until {
      world.world.clock.advance(by: 0)
      return task.isFinished
    }

    #expect(try await task.response.freshness == .stale(age: 100, reason: nil))
    #expect(!transfer.isCancelled)
    world.downloader.cancelAll()
  }

  @Test func cacheOnlyRequestFailsAtTheLookupLimit() async throws {
    let gate = Gate()
    let world = hanging(gate)
    let task = world.downloader.load(request(policy: .cacheOnly))
    await gate.waitUntilHeld(1)
    world.world.clock.advance(by: LookupLine.limit)
    await #expect(throws: ImageError.notCached) { try await task.response }
    await world.downloader.drain()
    gate.open()
  }

  @Test func hangingLookupsOfCancelledLoadsBlockNoOtherLoad() async throws {
    let gate = Gate()
    let world = hanging(gate)
    for round in 0..<2 {
      let tasks = (0..<2).map { world.downloader.load(request("\(round)-\($0).jpg")) }
      await gate.waitUntilHeld(2 * round + 2)
      for task in tasks { task.cancel() }
      world.world.clock.advance(by: LookupLine.deadline)
    }
    world.transport.respondToAll { $0.respond(with: Fixture.body, DiskWorld.minute) }
    #expect(try await world.downloader.image(for: request("next.jpg")).source == .network)
    gate.open()
  }

  // MARK: Writing

  @Test func hangingStoreBlocksNoLoads() async throws {
    let (gate, cache) = (Gate(), SlowStore())
    cache.hold(gate)
    let world = Fixture(dataCache: cache)
    world.transport.respondToAll { $0.respond(with: Fixture.body, DiskWorld.minute) }
    let responses = [
      try await world.downloader.image(for: request("a.jpg")),
      try await world.downloader.image(for: request("b.jpg")),
    ]
    await gate.waitUntilHeld(1)
    async let contains = world.downloader.containsCachedData(for: request("a.jpg"))
    // This call waits until the earlier lookup has been admitted to the same queue.
    world.downloader.removeCachedData(for: request("c.jpg"), completion: nil)

    world.clock.advance(by: DiskWrites.limit)

    for response in responses { #expect(await response.isStored() == false) }
    #expect(await contains == false)
    await world.downloader.drain()
    // Further loads do not wait and are not stored either.
    #expect(await (try world.downloader.image(for: request("d.jpg"))).isStored() == false)
    #expect(await world.downloader.containsCachedData(for: request("a.jpg")) == false)
    world.downloader.finishWriting(within: 1000)
    await world.downloader.shutDown()

    // The pending removal is made when the disk responds again.
    gate.open()
    try await until { cache.removals > 0 }
  }

  @Test func longTrimDropsNoStore() async throws {
    let (gate, cache) = (Gate(), SlowStore())
    let world = Fixture(dataCache: cache)
    world.transport.respondToAll { $0.respond(with: Fixture.body, DiskWorld.minute) }
    cache.hold(gate)
    async let trimmed: Void = world.downloader.imageCache.removeExpired()
    await gate.waitUntilHeld(1)
    let response = try await world.downloader.image(for: request())

    world.clock.advance(by: DiskWrites.longLimit - 1)
    gate.open()

    #expect(await response.isStored())
    await trimmed
  }

  @Test func bodiesThatWaitForASlowDiskAreBounded() async throws {
    let (gate, cache) = (Gate(), SlowStore())
    cache.hold(gate)
    // The original body is stored, while the decoded image is small.
    let world = Fixture(
      {
        $0.responses.bodyModifier = { _, _ in Fixture.body }
        // Memory is scarce.
        $0.memory.ledger = MemoryLedger(budget: 24 << 20)
      }, dataCache: cache)
    let body = FakeDecoder.encodedImage(width: 4, height: 4, count: DiskWrites.unwrittenBytesLimit / 3 + 1)
    world.transport.respondToAll { $0.respond(with: body, DiskWorld.minute) }

    var responses = [try await world.downloader.image(for: request("0.jpg"))]
    // After this time, downloads no longer wait for the disk.
    world.clock.advance(by: DiskBacklog.limit)
    for number in 1..<4 { responses.append(try await world.downloader.image(for: request("\(number).jpg"))) }

    // Three bodies exceed the limit, so the third and the fourth are not stored.
    #expect(await responses[2].isStored() == false)
    #expect(await responses[3].isStored() == false)
    gate.open()
    #expect(await responses[0].isStored())
    #expect(await responses[1].isStored())
    await world.downloader.drain()
    #expect(cache.stored == 2)
    #expect(await (try world.downloader.image(for: request("5.jpg"))).isStored())
  }

  @Test func bodiesThatWaitForASlowDiskAreAllStoredIfUnwrittenBytesAreKept() async throws {
    let (gate, cache) = (Gate(), SlowStore())
    cache.hold(gate)
    let world = Fixture(
      {
        $0.responses.bodyModifier = { _, _ in Fixture.body }
        $0.memory.keepsUnwritten = true
      }, dataCache: cache)
    let body = FakeDecoder.encodedImage(width: 4, height: 4, count: DiskWrites.unwrittenBytesLimit / 3 + 1)
    world.transport.respondToAll { $0.respond(with: body, DiskWorld.minute) }

    var responses: [ImageResponse] = []
    for number in 0..<4 { responses.append(try await world.downloader.image(for: request("\(number).jpg"))) }
    // A store may take longer than that of a program with a screen.
    await gate.waitUntilHeld(1)
    world.clock.advance(by: DiskWrites.limit)
    gate.open()

    for response in responses { #expect(await response.isStored()) }
    await world.downloader.drain()
    #expect(cache.stored == 4)
  }

  // MARK: Decisions

  @Test(arguments: [(2, 2), (1e9, 9.5), (.infinity, 9.5), (-1, 0.5), (.nan, 0.5)])
  func timeUntilALookupIsLateCanBeSet(deadline: Double, expected: Double) {
    var line = LookupLine(deadline: deadline)
    var queue = DownloadQueue()
    for number in 1...3 {
      line.enqueue(
        FetchID(number: UInt64(number)), priority: .normal, arrival: queue.nextArrival(at: 0), at: 0)
    }
    for _ in 1...2 { _ = line.startNext(.fifo, isSuspended: false, at: 0) }
    let end = Int64(nanosecondsIn: expected)
    #expect(line.nextChange == end)
    #expect(line.takeLate(at: end - 1).isEmpty && line.takeOverdue(at: end - 1).isEmpty)
    #expect(line.takeLate(at: end).count == 2 && line.takeOverdue(at: end).count == 1)
  }

  @Test func lateLookupGivesItsPlaceToTheNext() {
    var line = LookupLine()
    var queue = DownloadQueue()
    let ids = (1...9).map { FetchID(number: $0) }
    for id in ids { line.enqueue(id, priority: .normal, arrival: queue.nextArrival(at: 0), at: 0) }
    func started(_ now: Double) -> [UInt64] {
      var started: [UInt64] = []
      while let id = line.startNext(.fifo, isSuspended: false, at: Int64(now * 1e9)) {
        started.append(id.number)
      }
      return started
    }
    #expect(started(0) == [1, 2])
    #expect(line.takeLate(at: 499_000_000).isEmpty && line.nextChange == 500_000_000)
    line.ended(ids[0])
    #expect(started(0.4) == [3])
    #expect(line.takeLate(at: 500_000_000) == [ids[1]])
    #expect(started(0.5) == [4] && !line.isIdle)
    #expect(line.takeLate(at: 2_000_000_000) == [ids[2], ids[3]])
    #expect(started(2) == [5, 6])
    line.leave(ids[6])
    #expect(line.takeLate(at: 3_000_000_000) == [ids[4], ids[5]] && line.isBlocked && line.isIdle)
    #expect(line.takeOverdue(at: 3_000_000_000) == [ids[7], ids[8]])
    #expect(started(3) == [], "they wait for the late lookups")
    #expect(line.takeLost(at: 11_999_999_999).count == 3 && !line.isHanging)
    #expect(line.nextChange == 12_000_000_000)
    #expect(line.takeLost(at: 12_000_000_000).count == 2 && line.isHanging)
    #expect(started(12) == [8, 9], "both lookups are misses at once")
    for id in ids { line.ended(id) }
    #expect(!line.isBlocked && line.isIdle && line.nextChange == nil)
  }
}

/// A cache that stores nothing, and whose writes a gate can block.
private final class SlowStore: ImageDataCache {
  private let gate = Mutex<Gate?>(nil)
  private let counts = Mutex((stored: 0, removals: 0))

  var stored: Int { counts.withLock { $0.stored } }
  var removals: Int { counts.withLock { $0.removals } }

  func hold(_ gate: Gate) { self.gate.withLock { $0 = gate } }

  func response(for identity: RequestIdentity) -> StoredResponse? { nil }
  func containsResponse(for identity: RequestIdentity) -> Bool { true }

  func store(_ response: StoredResponse, for identity: RequestIdentity) -> Bool {
    gate.withLock { $0 }?.pass()
    counts.withLock { $0.stored += 1 }
    return true
  }

  func removeResponse(for identity: RequestIdentity) -> Bool {
    counts.withLock { $0.removals += 1 }
    return true
  }

  func removeAllResponses() -> Bool { true }

  func removeExpiredResponses() { gate.withLock { $0 }?.pass() }
}
