import FoundationEssentials
import Synchronization
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Loads of damaged, missing and removed responses, and concurrent loads of one response.
@MainActor @Suite(.timeLimit(.minutes(5))) struct DiskLoadingTests {
  private static let other = FakeDecoder.encodedImage(width: 32, height: 32)

  // MARK: Damage

  @Test func damagedImageOnDiskIsDownloadedOnceAndReplaced() async throws {
    let world = DiskWorld()
    world.store(body: [9, 9, 9])
    let task = world.downloader.load(request())
    let transfer = try await world.transfer()
    #expect(transfer.request.headers["If-None-Match"] == nil, "the damaged response is not revalidated")
    transfer.respond(with: Self.other, DiskWorld.minute)
    let response = try await task.response
    #expect(response.source == .network)
    #expect(await response.isStored())
    #expect(world.disk.responses.map(\.body) == [Self.other])
  }

  @Test func damagedImageConfirmedByItsServerIsDownloaded() async throws {
    let world = DiskWorld()
    world.store(age: 100, body: [9, 9, 9])
    let task = world.downloader.load(request())
    try await world.transfer().respondNotModified()
    let unconditional = try await world.transfer(2)
    #expect(unconditional.request.headers["If-None-Match"] == nil)
    unconditional.respond(with: Self.other)
    #expect(try await task.response.image.pixelWidth == 32)
  }

  @Test func damagedImageConfirmedByItsServerWaitsBehindOtherDownloads() async throws {
    let world = DiskWorld { $0.queue.maximumActiveDownloads = 1 }
    world.store(age: 100, body: [9, 9, 9])
    world.downloader.load(request("a.jpg"))
    let revalidation = try await world.transfer()
    for name in ["b.jpg", "c.jpg"] { world.downloader.load(request(name, policy: .reload)) }
    #expect(world.downloader.waitingDownloadCount == 2)

    revalidation.respondNotModified()
    // b.jpg is downloaded now, and only c.jpg waits until the damaged image has been decoded.
    try await until { world.downloader.waitingDownloadCount == 2 }
    for number in 2...4 { try await world.transfer(number).respond(with: Fixture.body) }

    #expect(
      world.transport.transfers.map { $0.request.url.lastPathComponent }
        == ["a.jpg", "b.jpg", "c.jpg", "a.jpg"])
  }

  @Test func severalSizesOfADamagedImageShareOneDownload() async throws {
    let world = DiskWorld(decodingIsHeld: true)
    world.store(body: [9, 9, 9])
    let tasks = [16, 24, 48].map { size in
      world.downloader.load(request(target: DecodeTarget(width: size, height: size)))
    }
    await world.world.gate.waitUntilHeld(2)
    world.world.gate.open()
    try await world.transfer().respond(with: Fixture.body)
    for task in tasks { #expect(try await task.response.source == .network) }
    #expect(world.transport.transfers.count == 1)
  }

  @Test func damagedImageThatCannotBeDownloadedIsAFailure() async throws {
    let world = DiskWorld()
    world.store(body: [9, 9, 9])
    let task = world.downloader.load(request())
    try await world.transfer().fail(.status(500))
    await #expect(throws: ImageError.status(500)) { try await task.response }
  }

  // MARK: Concurrent loads

  @Test func concurrentLoadsShareOneLookup() async throws {
    let gate = Gate()
    let world = DiskWorld(lookupsAreHeldBy: gate)
    world.store()
    let tasks = (0..<5).map { _ in world.downloader.load(request()) }
    await gate.waitUntilHeld(1)
    gate.open()
    for task in tasks { #expect(try await task.response.source == .disk) }
    #expect(world.disk.lookups.count == 1)
    #expect(world.world.decoder.calls.count == 1)
  }

  @Test func loadCancelledDuringItsLookupStartsNoDownload() async throws {
    let gate = Gate()
    let world = DiskWorld(lookupsAreHeldBy: gate)
    let task = world.downloader.load(request())
    await gate.waitUntilHeld(1)
    task.cancel()
    await #expect(throws: ImageError.cancelled) { try await task.response }
    gate.open()
    await world.downloader.drain()
    #expect(world.transport.transfers.isEmpty)
  }

  @Test func pausedLoadIsServedFromDiskAndStartsNoDownload() async throws {
    let gate = Gate()
    let world = DiskWorld(lookupsAreHeldBy: gate)
    world.store()
    let (onDisk, nowhere) = (world.downloader.load(request()), world.downloader.load(request("b.jpg")))
    onDisk.pause()
    nowhere.pause()
    gate.open()
    #expect(try await onDisk.response.source == .disk)
    #expect(world.transport.transfers.isEmpty)
    nowhere.resume()
    try await world.transfer().respond(with: Fixture.body)
    #expect(try await nowhere.response.source == .network)
  }

  @Test func diskHitDoesNotWaitForTheNetwork() async throws {
    let world = DiskWorld { $0.queue.maximumActiveDownloads = 1 }
    world.store("b.jpg")
    let slow = world.downloader.load(request("a.jpg"))
    _ = try await world.transfer()
    #expect(try await world.downloader.image(for: request("b.jpg")).source == .disk)
    slow.cancel()
  }

  @Test func removedDataIsNotFound() async throws {
    let world = DiskWorld()
    world.store()
    world.store("b.jpg")
    let recorder = Recorder<Bool>()
    world.downloader.removeCachedData(for: request(), completion: recorder.add)
    world.downloader.removeCachedData(for: request(), completion: recorder.add)
    world.downloader.removeAllCachedData(completion: recorder.add)
    world.downloader.removeAllCachedData(completion: recorder.add)
    #expect(try await recorder.wait(for: 4) == [true, false, true, false])
    #expect(await !world.downloader.containsCachedData(for: request("b.jpg")))
  }

  @Test(arguments: [true, false])
  func responseBeingRemovedIsNotFoundByLaterLoads(all: Bool) async throws {
    let gate = Gate(isOpen: false)
    let world = DiskWorld(removalsAreHeldBy: gate)
    world.store()
    if all {
      world.downloader.removeAllCachedData(completion: nil)
    } else {
      world.downloader.removeCachedData(for: request(), completion: nil)
    }
    await gate.waitUntilHeld(1)
    let task = world.downloader.load(request())
    try await world.transfer().respond(with: Self.other, DiskWorld.minute)
    #expect(try await task.response.source == .network)
    gate.open()
    await world.downloader.drain()
    #expect(world.disk.responses.map(\.body) == [Self.other])
  }

  @Test func removalWithoutADiskCacheReportsFalse() async throws {
    let world = Fixture()
    let recorder = Recorder<Bool>()
    world.downloader.removeAllCachedData(completion: recorder.add)
    #expect(try await recorder.wait(for: 1) == [false])
  }
}
