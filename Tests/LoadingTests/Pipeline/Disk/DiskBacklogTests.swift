import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Downloads that wait for a disk that is slower than the network.
@MainActor @Suite(.timeLimit(.minutes(5))) struct DiskBacklogTests {
  private static let limit = Int64(nanosecondsIn: DiskBacklog.limit)

  @Test func waitEndsWhenTheDiskHasCaughtUp() {
    var backlog = DiskBacklog()
    #expect(!backlog.holdsDownloads(at: 0))
    backlog.setBehind(true, at: 0)
    #expect(backlog.holdsDownloads(at: 0))
    backlog.setBehind(false, at: 1)
    #expect(!backlog.holdsDownloads(at: 1))
    #expect(backlog.nextChange(after: 1) == nil)
  }

  @Test func waitIsLimitedUntilTheDiskHasCaughtUpOnce() {
    var backlog = DiskBacklog()
    backlog.setBehind(true, at: 0)
    #expect(backlog.nextChange(after: 0) == Self.limit)
    backlog.setBehind(true, at: Self.limit / 2)
    #expect(backlog.holdsDownloads(at: Self.limit - 1), "the wait is not prolonged")
    #expect(!backlog.holdsDownloads(at: Self.limit))
    #expect(backlog.nextChange(after: Self.limit) == nil)

    backlog.setBehind(true, at: Self.limit + 1)
    #expect(!backlog.holdsDownloads(at: Self.limit + 1))
    backlog.setBehind(false, at: Self.limit + 2)
    backlog.setBehind(true, at: Self.limit + 3)
    #expect(backlog.nextChange(after: Self.limit + 3) == 2 * Self.limit + 3)
  }

  // MARK: With a downloader

  private let gate = Gate()

  /// Returns a world whose disk is behind: the writer thread is blocked until the gate opens, and a body waits that is
  /// larger than the backlog limit.
  ///
  /// - Parameter seconds: The number of seconds for which the thread has been blocked when the body is added.
  private func worldBehind(after seconds: Double = 0) async throws -> DiskWorld {
    let world = DiskWorld(removalsAreHeldBy: gate)
    world.downloader.removeCachedData(for: request("removed.jpg")) { _ in }
    await gate.waitUntilHeld(1)
    world.world.clock.advance(by: seconds)
    let task = load("large.jpg", in: world)
    let body = FakeDecoder.encodedImage(width: 8, height: 8, count: DiskWrites.backlogLimit + 1)
    try await world.transfer().respond(with: body, DiskWorld.minute)
    // The body is queued for the disk before the image is delivered.
    _ = try await task.response
    #expect(world.downloader.engine.diskWriter.isBehind)
    return world
  }

  /// Loads an image without a disk lookup, so that the download is queued when this call returns.
  private func load(_ name: String, in world: DiskWorld) -> ImageTask {
    world.downloader.load(request(name, policy: .reload))
  }

  @Test func downloadsWaitForTheDiskAndAllAreStored() async throws {
    let world = try await worldBehind()
    let tasks = (0..<3).map { load("\($0).jpg", in: world) }
    #expect(world.transport.transfers.count == 1)

    gate.open()
    for number in 2...4 {
      try await world.transfer(number).respond(with: Fixture.body, DiskWorld.minute)
    }
    for task in tasks { _ = try await task.response }
    await world.downloader.drain()
    #expect(world.disk.responses.count == 4)
  }

  @Test func verySlowDiskDelaysImagesForALimitedTime() async throws {
    let world = try await worldBehind()
    let task = load("a.jpg", in: world)
    world.world.clock.advance(by: DiskBacklog.limit)
    try await world.transfer(2).respond(with: Fixture.body, DiskWorld.minute)
    _ = try await task.response

    let next = load("b.jpg", in: world)
    #expect(world.transport.transfers.count == 3, "the disk has not caught up, so downloads no longer wait")
    try await world.transfer(3).respond(with: Fixture.body, DiskWorld.minute)
    _ = try await next.response
    gate.open()
    await world.downloader.drain()
    #expect(world.disk.responses.count == 3)
  }

  @Test func downloadsStopWaitingForADiskThatHangs() async throws {
    let world = try await worldBehind(after: DiskWrites.limit - 1)
    let task = load("a.jpg", in: world)
    #expect(world.transport.transfers.count == 1)

    world.world.clock.advance(by: 1)

    #expect(!world.downloader.engine.diskWriter.isBehind)
    #expect(world.transport.transfers.count == 2)
    try await world.transfer(2).respond(with: Fixture.body, DiskWorld.minute)
    _ = try await task.response
    gate.open()
    await world.downloader.drain()
  }

  @Test func imagesOfThisMachineDoNotWaitForTheDisk() async throws {
    let world = try await worldBehind()
    let response = try await world.downloader.image(for: "data:,5 5 0 0 0 255")
    #expect(response.source == .file)
    gate.open()
    await world.downloader.drain()
  }
}
