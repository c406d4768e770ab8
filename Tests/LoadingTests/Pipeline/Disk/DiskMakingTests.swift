import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Transformed images and thumbnails without a pixel cache: the disk cache has the original bytes, the memory cache has
/// the results.
@MainActor @Suite(.timeLimit(.minutes(5))) struct DiskMakingTests {
  private let world = DiskWorld()

  private func thumbnail(_ side: Int = 16, policy: ImageRequest.CachePolicy = .useCache) -> ImageRequest {
    request(policy: policy, target: DecodeTarget(width: side, height: side))
  }

  /// Loads an image over the network and waits until the response is on disk.
  @discardableResult
  private func load(_ request: ImageRequest) async throws -> ImageResponse {
    let task = world.downloader.load(request)
    try await world.transfer().respond(with: Fixture.body, DiskWorld.minute)
    let response = try await task.response
    #expect(response.source == .network)
    #expect(await response.isStored())
    return response
  }

  // MARK: Transforms

  @Test(
    "SD-M16 a transformed image is only in memory without a pixel cache, and its original bytes are only on disk"
  )
  func transformedImageIsCachedInMemoryOnly() async throws {
    let round = request(transforms: [.circle()])
    let response = try await load(round)
    // The square in the middle of 64x48.
    #expect((response.image.pixelWidth, response.image.pixelHeight) == (48, 48))
    #expect(!response.image.isAnimated)
    #expect(world.downloader.cachedImage(for: round) === response.image)
    #expect(world.downloader.cachedImage(for: request()) == nil)
    #expect(world.disk.storeCount == 1)
    #expect(world.disk.responses.map(\.body) == [Fixture.body])
  }

  @Test("SD-M15 a transformed image is made from the bytes on disk, without a download")
  func transformUsesTheBytesOnDisk() async throws {
    let plain = try await load(request())
    let response = try await world.downloader.image(for: request(transforms: [.circle()]))
    #expect(response.source == .disk)
    #expect(response.image.pixelWidth == 48)
    #expect(response.data == nil)
    #expect(world.downloader.cachedImage(for: request()) === plain.image)
    #expect(world.transport.transfers.count == 1)
    #expect(world.disk.storeCount == 1)
  }

  // MARK: Sizes

  @Test(
    "SD-M17 a thumbnail of an image on disk is only in memory without a pixel cache, and nothing is written")
  func thumbnailFromDiskIsCachedInMemoryOnly() async throws {
    world.store()
    let before = world.disk.responses
    let response = try await world.downloader.image(for: thumbnail())
    #expect(response.source == .disk)
    #expect(response.data == nil)
    #expect(response.image.pixelHeight == 16)
    await world.downloader.drain()
    #expect(world.downloader.cachedImage(for: thumbnail()) === response.image)
    #expect(
      world.downloader.cachedImage(for: thumbnail(64)) == nil, "the thumbnail is not the full-size image")
    #expect(world.disk.responses == before)
    #expect(world.disk.storeCount == 1, "only the test has stored a response")
    #expect(world.transport.transfers.isEmpty)
  }

  @Test func thumbnailFromTheNetworkStoresTheFullSizeBytes() async throws {
    try await load(thumbnail())
    #expect(world.disk.responses.map(\.body) == [Fixture.body])
    let fullSize = try await world.downloader.image(for: request())
    #expect(fullSize.source == .disk)
    #expect(fullSize.image.pixelWidth == 64)
    #expect(world.transport.transfers.count == 1)
  }

  // MARK: Memory only, disk only

  @Test("SD-M14 a memory-only request misses an image on disk; a disk-only request gives another instance")
  func memoryOnlyAndDiskOnlyRequestsUseOneCache() async throws {
    world.store()
    var memory = request(policy: .cacheOnly)
    memory.cache = .memoryOnly
    await #expect(throws: ImageError.notCached) { try await world.downloader.image(for: memory) }

    let first = try await world.downloader.image(for: request())
    var disk = request(policy: .cacheOnly)
    disk.cache = .diskOnly
    let second = try await world.downloader.image(for: disk)
    #expect(second.source == .disk)
    #expect(second.image !== first.image)
    #expect(world.downloader.cachedImage(for: request()) === first.image)
    #expect(try await world.downloader.image(for: memory).source == .memory)
    #expect(world.transport.transfers.isEmpty)
  }

  @Test(
    "AF-S13 SD-M8 SD-M13 a completion can wait until the received bytes are on disk, unchanged")
  func completionCanWaitForTheBytesOnDisk() async throws {
    var request = request()
    request.keepsData = true
    let task = world.downloader.load(request)
    try await world.transfer().respond(with: Fixture.body, DiskWorld.minute)
    let response = try await task.response
    #expect(await response.isStored())
    #expect(world.disk.responses.map(\.body) == [Fixture.body])
    #expect(response.data == Fixture.body)
  }
}
