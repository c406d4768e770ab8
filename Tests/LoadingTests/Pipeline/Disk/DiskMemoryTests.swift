import FoundationEssentials
import Synchronization
import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// The memory of bodies that are being read from or written to disk.
@Suite(.timeLimit(.minutes(5))) struct DiskMemoryTests {
  @Test func bodyReadFromDiskCountsUntilItIsDecoded() async throws {
    let ledger = MemoryLedger()
    let world = DiskWorld(decodingIsHeld: true) { $0.memory.ledger = ledger }
    world.store()

    let task = world.downloader.load(request())
    await world.world.gate.waitUntilHeld(1)
    #expect(ledger.usage.bodies == Fixture.body.count)
    world.world.gate.open()
    _ = try await task.response

    // The thread that delivered the image releases the body afterwards.
    try await until { ledger.usage.bodies == 0 }
  }

  // MARK: Stored responses that wait for their servers

  private static let longBody = FakeDecoder.encodedImage(width: 64, height: 48, count: 60_000)

  /// Returns a world in which two stored responses of 60,000 bytes are a quarter of the budget.
  private func worldOfLongBodies(
    _ ledger: MemoryLedger, names: [String], headers: HTTPHeaders = DiskWorld.minute
  ) -> DiskWorld {
    let world = DiskWorld {
      $0.memory.ledger = ledger
      $0.queue.maximumActiveDownloadsPerHost = 10
      $0.queue.maximumActiveDownloads = 20
    }
    for name in names { world.store(name, age: 3600, headers: headers, body: Self.longBody) }
    return world
  }

  @Test func storedResponsesThatWaitForAHangingServerAreBoundedAndAllAreShown() async throws {
    let ledger = MemoryLedger(budget: 400_000)
    let names = (0..<7).map { "\($0).jpg" }
    let world = worldOfLongBodies(ledger, names: names)

    let tasks = names.map { world.downloader.load(request($0)) }
    try await world.transport.waitUntilStarted(2)
    for _ in 0..<1000 { await Task.yield() }
    #expect(world.disk.lookups.count <= 3, "two responses wait, a third may have been read meanwhile")
    #expect(ledger.usage.bodies <= 3 * 60_000)

    let engine = world.downloader.engine
    try await until {
      // The clock moves only while no lookup runs, so that the disk responds in time.
      guard engine.areLookupsIdle else { return false }
      world.world.clock.advance(by: 1)
      return tasks.allSatisfy { $0.isFinished }
    }
    for task in tasks {
      let response = try await task.response
      #expect(response.source == .disk)
    }
    world.downloader.cancelAll()
  }

  @Test func mustRevalidateResponsesDoNotBlockOtherLoads() async throws {
    let ledger = MemoryLedger(budget: 400_000)
    let names = (0..<5).map { "\($0).jpg" }
    let world = worldOfLongBodies(
      ledger, names: names, headers: ["Cache-Control": "max-age=60, must-revalidate", "ETag": "\"one\""])

    let tasks = names.map { world.downloader.load(request($0)) }
    try await world.transport.waitUntilStarted(5)
    // A released body may be freed after the next transfer has started.
    try await until { ledger.usage.bodies <= 3 * 60_000 }
    // The server confirms responses that have been released. They are requested again without a condition.
    let transfers = world.transport.transfers
    world.transport.respondToAll { $0.respond(with: Self.longBody) }
    for transfer in transfers {
      if transfer.request.headers["If-None-Match"] == nil {
        transfer.respond(with: Self.longBody)
      } else {
        transfer.respondNotModified(DiskWorld.minute)
      }
    }
    for task in tasks { #expect(try await task.response.image.pixelWidth == 64) }
  }

  @Test func requestsStayConditionalWhenBodiesAreReleased() async throws {
    let ledger = MemoryLedger(budget: 400_000)
    let disk = HeadDisk()
    let world = Fixture(
      {
        $0.memory.ledger = ledger
        $0.queue.maximumActiveDownloadsPerHost = 10
        $0.queue.maximumActiveDownloads = 20
        $0.environment.wallClock = { 10_000 }
      }, dataCache: disk)
    let headers: HTTPHeaders = ["Cache-Control": "max-age=60, must-revalidate", "ETag": "\"one\""]
    let names = (0..<5).map { "\($0).jpg" }
    for name in names {
      let response = TransportResponse(url: url(name), status: 200, headers: headers)
      disk.memory.store(
        StoredResponse(response: response, body: Self.longBody, requested: 0, received: 0),
        for: request(name).identity)
    }

    let tasks = names.map { world.downloader.load(request($0)) }
    try await world.transport.waitUntilStarted(5)
    // A released body may be freed after the next transfer has started.
    try await until { ledger.usage.bodies <= 3 * 60_000 }
    let transfers = world.transport.transfers
    for transfer in transfers {
      #expect(transfer.request.headers["If-None-Match"] == "\"one\"")
      transfer.respondNotModified(DiskWorld.minute)
    }
    for task in tasks {
      let response = try await task.response
      #expect(response.freshness == .revalidated && response.image.pixelWidth == 64)
    }
    #expect(world.transport.transfers.count == 5, "no response is fetched whole")
  }

  @Test func storedResponseOfAPausedLoadIsReleasedAndReadAgain() async throws {
    let ledger = MemoryLedger(budget: 400_000)
    let world = worldOfLongBodies(ledger, names: ["a.jpg", "b.jpg", "c.jpg"])
    let paused = ["a.jpg", "b.jpg"].map { world.downloader.load(request($0)) }
    try await world.transport.waitUntilStarted(2)
    for task in paused { task.pause() }

    let other = world.downloader.load(request("c.jpg"))
    try await world.transport.waitUntilStarted(3)
    // The body of a paused load may be freed after the next transfer has started.
    try await until { ledger.usage.bodies <= 2 * 60_000 }
    world.transport.transfers[2].respondNotModified(DiskWorld.minute)
    #expect(try await other.response.freshness == .revalidated)

    paused[0].resume()
    let transfer = try await world.transfer(4)
    #expect(transfer.request.headers["If-None-Match"] == "\"one\"")
    transfer.respondNotModified(DiskWorld.minute)
    #expect(try await paused[0].response.freshness == .revalidated)
    world.downloader.cancelAll()
  }

  /// A disk whose writes are blocked.
  private final class SlowDisk: ImageDataCache {
    let gate = Gate()
    private let stored = Mutex(0)
    var count: Int { stored.withLock { $0 } }

    func response(for identity: RequestIdentity) -> StoredResponse? { nil }
    func store(_ response: StoredResponse, for identity: RequestIdentity) -> Bool {
      gate.pass()
      stored.withLock { $0 += 1 }
      return true
    }
    func removeResponse(for identity: RequestIdentity) -> Bool { false }
    func removeAllResponses() -> Bool { false }
    func containsResponse(for identity: RequestIdentity) -> Bool { false }
  }

  private struct AnyBytes: ImageDecoding {
    func decode(_ data: [UInt8], options: DecodeOptions) throws(ImageError) -> Image {
      .solid(width: 1, height: 1)
    }
  }

  @Test func bodiesThatWaitForASlowDiskAreBounded() async throws {
    let disk = SlowDisk()
    let transport = FakeTransport()
    let ledger = MemoryLedger(budget: 24 << 20)
    var configuration = ImageDownloader.Configuration()
    configuration.memory.ledger = ledger
    // A clock that the test advances: the disk does not count as hanging.
    let clock = ManualLoadingClock()
    configuration.environment.clock = clock
    let downloader = ImageDownloader(
      configuration: configuration, transports: [transport], decoder: AnyBytes(), dataCache: disk)
    transport.respondToAll { $0.respond(with: [UInt8](repeating: 1, count: 5 << 20)) }

    var responses: [ImageResponse] = []
    for number in 0..<8 {
      responses.append(try await downloader.load(request("\(number)")).response)
      // After this time, downloads no longer wait for the disk.
      if number == 0 { clock.advance(by: DiskBacklog.limit) }
    }
    await disk.gate.waitUntilHeld(1)
    // Memory is scarce. Three bodies fit into 16 MiB. The others are shown but not stored.
    try await until { ledger.usage.bodies <= 15 << 20 }
    disk.gate.open()
    await downloader.drain()

    #expect(disk.count == 3)
    var kept = 0
    for response in responses where await response.isStored() { kept += 1 }
    #expect(kept == 3)
  }
}
