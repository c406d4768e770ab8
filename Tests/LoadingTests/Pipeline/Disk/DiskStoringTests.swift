import FoundationEssentials
import Synchronization
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// The responses that a load stores on disk, and the images that it serves from there.
@MainActor @Suite(.timeLimit(.minutes(5))) struct DiskStoringTests {
  private static let other = FakeDecoder.encodedImage(width: 32, height: 32)

  @Test("YY-B3 an image from the network reports this source, and is in memory and on disk afterwards")
  func networkImageIsCachedInMemoryAndOnDisk() async throws {
    let world = DiskWorld()
    let task = world.downloader.load(request())
    try await world.transfer().respond(with: Fixture.body, DiskWorld.minute)
    let response = try await task.response
    #expect(response.source == .network)
    #expect(response.freshness == .fresh)
    #expect(await response.isStored())
    #expect(world.downloader.cachedImage(for: request()) === response.image)
    #expect(await world.downloader.containsCachedData(for: request()))
    #expect(world.disk.responses.first?.body == Fixture.body)
  }

  @Test("YY-B2 an image from disk reports this source, and is in memory afterwards")
  func diskImageIsServedAndCachedInMemory() async throws {
    let world = DiskWorld()
    world.store()
    let response = try await world.downloader.image(for: request())
    #expect(response.source == .disk)
    #expect(response.freshness == .fresh)
    #expect(response.metrics == nil)
    #expect(world.transport.transfers.isEmpty)
    #expect(world.downloader.cachedImage(for: request()) === response.image)
    #expect(world.downloader.statistics.loads == [.disk: 1])
    #expect(try await world.downloader.image(for: request()).source == .memory)
  }

  @Test func imageFromDiskHasAnAge() async throws {
    let world = DiskWorld()
    world.store(age: 45)
    let fresh = try await world.downloader.image(for: request())
    #expect(fresh.freshness == .fresh)
    #expect(fresh.age == StoredAge(seconds: 45))
    #expect(try await world.downloader.image(for: request()).age == nil, "from memory")

    world.downloader.removeAllCachedImages()
    world.calendar.advance(by: 100)
    let stale = try await world.downloader.image(for: request(policy: .cacheOnly))
    #expect(stale.age == StoredAge(seconds: 145) && stale.freshness.age == stale.age)
    world.downloader.removeAllCachedImages()
    let task = world.downloader.load(request())
    try await world.transfer().respondNotModified(DiskWorld.minute)
    #expect(try await task.response.age == nil, "the server has just confirmed the image")
  }

  @Test("YY-B6 a request of the disk cache alone neither reads nor writes the memory cache")
  func diskOnlyRequestLeavesTheMemoryCacheUnchanged() async throws {
    let world = DiskWorld()
    var alone = request()
    alone.cache = .diskOnly
    let task = world.downloader.load(alone)
    try await world.transfer().respond(with: Fixture.body, DiskWorld.minute)
    let first = try await task.response
    #expect(first.source == .network)
    #expect(await first.isStored())
    #expect(world.world.cache.usage == 0)

    let cached = try await world.downloader.image(for: request())
    let usage = world.world.cache.usage
    let second = try await world.downloader.image(for: alone)

    #expect(second.source == .disk)
    #expect(second.image !== cached.image)
    #expect(world.downloader.cachedImage(for: request()) === cached.image)
    #expect(world.world.cache.usage == usage)
    #expect(world.transport.transfers.count == 1)
  }

  @Test("YY-B4 a request may ignore the disk and still fill the memory cache")
  func memoryOnlyRequestIgnoresTheDisk() async throws {
    let world = DiskWorld()
    world.store()
    var alone = request()
    alone.cache = .memoryOnly
    let task = world.downloader.load(alone)
    world.transport.transfers[0].respond(with: Self.other)
    #expect(try await task.response.image.pixelWidth == 32)
    await world.downloader.drain()
    #expect(world.disk.lookups.isEmpty)
    #expect(world.disk.storeCount == 1, "only the test has stored a response")
    #expect(world.downloader.cachedImage(for: alone)?.pixelWidth == 32)
  }

  @Test func diskOnlyRequestIgnoresTheMemoryCache() async throws {
    let world = DiskWorld()
    var alone = request()
    alone.cache = .diskOnly
    let task = world.downloader.load(alone)
    try await world.transfer().respond(with: Fixture.body)
    #expect(await (try task.response).isStored())
    #expect(world.downloader.cachedImage(for: request()) == nil)
    #expect(try await world.downloader.image(for: alone).source == .disk)
    #expect(world.downloader.cachedImage(for: request()) == nil)
  }

  @Test(
    "a response that is no image, not status 200, or must not be stored is not stored",
    arguments: [
      ([1, 2, 3], 200, [:]), (Fixture.body, 200, ["Cache-Control": "no-store"]),
      (Fixture.body, 200, ["Vary": "*"]), (Fixture.body, 203, [:]),
    ] as [([UInt8], Int, HTTPHeaders)])
  func unsuitableResponseIsNotStored(body: [UInt8], status: Int, headers: HTTPHeaders) async throws {
    let world = DiskWorld()
    let task = world.downloader.load(request())
    let transfer = try await world.transfer()
    transfer.respond(status: status, headers: headers)
    transfer.send(body)
    transfer.finish()
    let response = try? await task.response
    #expect(await response?.isStored() != true)
    await world.downloader.drain()
    #expect(world.disk.responses.isEmpty)
  }

  @Test func noStoreResponseRemovesTheStoredResponse() async throws {
    let world = DiskWorld()
    world.store(age: 100)
    let task = world.downloader.load(request())
    try await world.transfer().respond(with: Self.other, ["Cache-Control": "no-store"])
    #expect(try await task.response.image.pixelWidth == 32)
    await world.downloader.drain()
    #expect(world.disk.responses.isEmpty)
  }

  @Test func receivedBytesAreStoredAndModifiedAtEachLoad() async throws {
    let world = DiskWorld { $0.responses.bodyModifier = { body, _ in body.reversed() } }
    let task = world.downloader.load(request())
    try await world.transfer().respond(with: Fixture.body.reversed(), DiskWorld.minute)
    #expect(await (try task.response).isStored())
    #expect(world.disk.responses.first?.body == Fixture.body.reversed())
    world.downloader.removeAllCachedImages()
    #expect(try await world.downloader.image(for: request()).source == .disk)
  }
}
