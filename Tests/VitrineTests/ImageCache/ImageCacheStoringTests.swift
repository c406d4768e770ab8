import Callbacks
import Foundation
import Synchronization
import Testing
import Vitrine
import VitrineTesting

/// Images that an application stores, looks up and removes itself.
@MainActor @Suite(.timeLimit(.minutes(5))) struct ImageCacheStoringTests {
  private let world = ImageCacheWorld()
  private let url = ImageCacheWorld.url
  private var cache: ImageCache { world.cache }

  @Test("SD-C1 SD-C2 SD-C3 the shared downloader has one cache, and another downloader has its own")
  func sharedDownloaderHasOneCache() {
    #expect(ImageDownloader.shared.imageCache == ImageDownloader.shared.imageCache)
    #expect(cache == world.downloader.imageCache)
    #expect(cache != ImageCacheWorld().cache)
    #expect(cache != ImageDownloader.shared.imageCache)
  }

  @Test("SD-C4 SD-C17 SD-C16 clearing the disk leaves no file and does not change memory")
  func clearingTheDiskKeepsImagesInMemory() async {
    #expect(await cache.diskUsage() == ImageCache.DiskUsage(count: 0, bytes: 0))
    #expect(await cache.store(.halves(), for: url))
    #expect(await cache.diskUsage()?.count == 1)

    #expect(await cache.removeAll(from: .disk))

    #expect(cache.imageInMemory(for: url) != nil)
    #expect(await cache.location(of: url, in: .disk) == nil)
    #expect(await cache.diskUsage() == ImageCache.DiskUsage(count: 0, bytes: 0))
  }

  @Test("SD-C5 clearing memory does not change the disk") func clearingMemoryKeepsImagesOnDisk() async {
    await cache.store(.halves(), for: url)

    #expect(await cache.removeAll(from: .memory))

    #expect(cache.imageInMemory(for: url) == nil)
    #expect(await cache.location(of: url) == .disk)
  }

  @Test("SD-C6 SD-C7 SD-C41 a stored image is in memory at once, and on disk at the completion")
  func storedImageIsInMemoryAtOnceAndOnDiskAtCompletion() async throws {
    let image = Image.halves()

    let isOnDisk = try await callback { done in
      cache.store(image, for: url) { done($0) }
      #expect(cache.imageInMemory(for: url) === image)
    }

    #expect(isOnDisk)
    #expect(await cache.location(of: url, in: .memory) == .memory)
    #expect(await cache.location(of: url, in: .disk) == .disk)
    #expect(world.disk.containsResponse(for: RequestIdentity(try! ImageRequest(url))))
  }

  @Test("SD-C8 an image stored only in memory is lost when memory is cleared")
  func imageStoredOnlyInMemoryIsLostWhenMemoryIsCleared() async {
    #expect(await cache.store(.halves(), for: url, in: .memory))
    #expect(await cache.location(of: url, in: .disk) == nil)

    await cache.removeAll(from: .memory)

    #expect(await cache.location(of: url) == nil)
  }

  @Test("SD-C9 SD-C40 a query returns the stored image from memory")
  func queryReturnsTheStoredImageFromMemory() async {
    let image = Image.halves()
    await cache.store(image, for: url)

    let response = await cache.query(url)

    #expect(response?.image === image)
    #expect(response?.source == .memory)
  }

  @Test("YY-B39 a query finds an image on disk and puts it into memory, with its user data")
  func queryPutsAnImageFromDiskIntoMemory() async throws {
    await cache.store(Image.halves().withUserData(["name": [1, 2, 3]]), for: url)
    await cache.removeAll(from: .memory)

    let response = try #require(await cache.query(url))

    #expect(response.source == .disk)
    #expect(response.image.size == Size(width: 20, height: 10))
    #expect(cache.imageInMemory(for: url) === response.image)
    #expect(cache.imageInMemory(for: url)?.userData == ["name": [1, 2, 3]])
  }

  @Test("SD-C10 SD-C12 removing an image removes it from memory and disk")
  func removedImageIsGoneFromMemoryAndDisk() async {
    await cache.store(.halves(), for: url)

    #expect(await cache.remove(url))

    #expect(await cache.location(of: url) == nil)
    #expect(!(await cache.remove(url)))
  }

  @Test("SD-C11 removing an image from memory leaves it on disk")
  func removingFromMemoryKeepsTheImageOnDisk() async {
    await cache.store(.halves(), for: url)
    #expect(await cache.remove(url, from: .memory))
    #expect(await cache.location(of: url) == .disk)
  }

  @Test("SD-C42 removing an image from disk leaves it in memory")
  func removingFromDiskKeepsTheImageInMemory() async {
    await cache.store(.halves(), for: url)
    #expect(await cache.remove(url, from: .disk))
    #expect(await cache.location(of: url) == .memory)
    #expect(await cache.location(of: url, in: .disk) == nil)
  }

  @Test("SD-C43 SD-C44 the tier of an image is reported, and none after all images are removed")
  func locationReportsTheTierOfAnImage() async {
    await cache.store(.halves(), for: url)
    #expect(await cache.location(of: url) == .memory)

    #expect(await cache.removeAll())

    #expect(await cache.location(of: url) == nil)
    #expect(cache.imageInMemory(for: url) == nil)
  }

  @Test("SD-C25 encoded bytes are stored on disk unchanged, and not in memory")
  func encodedBytesAreStoredOnDiskUnchanged() async throws {
    let bytes = try ImageCodecs().encode(.halves(30, 40), as: .png)

    #expect(await cache.storeData(bytes, for: url))

    #expect(cache.imageInMemory(for: url) == nil)
    #expect(world.onlyFile.map { Data($0).range(of: Data(bytes)) != nil } == true)
    let response = try #require(await cache.query(url))
    #expect(response.image.pixelWidth == 30 && response.image.pixelHeight == 40)
    #expect(!(await cache.storeData([], for: url)))
  }

  @Test("SD-C39 a query need not store its image in memory") func queryCanLeaveMemoryUnchanged() async {
    await cache.store(.halves(), for: url, in: .disk)
    #expect(await cache.query(url, storesInMemory: false)?.source == .disk)
    #expect(cache.imageInMemory(for: url) == nil)
  }

  @Test("SD-C15 cancelling a query calls its completion once with nil, within the call")
  func cancelledQueryCompletesOnceWithNil() async {
    await cache.store(.halves(), for: url, in: .disk)
    var results: [ImageResponse?] = []
    let query = cache.query(url) { results.append($0) }
    #expect(results.isEmpty && !query.isFinished)

    query.cancel()
    #expect(results.count == 1)
    query.cancel()
    _ = await cache.query(url)
    await world.downloader.drain()

    #expect(results.count == 1)
    #expect(results.first.map { $0 == nil } == true)
  }

  @Test("SD-C49 two simultaneous queries of one image decode it once")
  func simultaneousQueriesDecodeOnce() async {
    let gate = Gate(isOpen: false)
    let decoder = FakeDecoder(gate: gate)
    let world = ImageCacheWorld(decoder: decoder)
    await world.cache.storeData(FakeDecoder.encodedImage(width: 8, height: 8), for: url)
    var images: [Image?] = []

    for _ in 0..<2 { world.cache.query(url, in: .disk) { images.append($0?.image) } }
    await gate.waitUntilHeld(1)
    // Disk operations run in order: both queries have begun before this one ends.
    _ = await world.cache.diskUsage()
    gate.open()
    await world.downloader.drain()
    // Completions are called in order, so both have been called after this query.
    _ = await world.cache.query("http://a.test/none", in: .memory)

    #expect(images.count == 2 && images[0] != nil && images[0] === images[1])
    #expect(decoder.calls.count == 1)
  }

  @Test("a load shows a stored image without a request")
  func loadShowsAStoredImageWithoutARequest() async throws {
    await cache.store(.halves(), for: url)
    await cache.removeAll(from: .memory)
    world.advance(by: 86400 * 300)

    let response = try await world.downloader.image(for: url)

    #expect(response.source == .disk && response.freshness == .fresh)
    #expect(world.transport.transfers.isEmpty)
  }

  @Test("images with an additional identifier are kept apart, on disk as in memory")
  func additionalIdentifiersKeepImagesApart() async {
    let (plain, named) = (Image.halves(10, 10), Image.halves(20, 20))
    await cache.store(plain, for: url)
    await cache.store(named, for: url, additionalIdentifier: "named")
    await cache.removeAll(from: .memory)

    #expect(await cache.query(url)?.image.pixelWidth == 10)
    #expect(await cache.query(url, additionalIdentifier: "named")?.image.pixelWidth == 20)
    #expect(await cache.remove(url, additionalIdentifier: "named"))
    #expect(await cache.location(of: url, additionalIdentifier: "named") == nil)
    #expect(await cache.location(of: url) == .memory)
    // Without the stored image, one is made from the bytes of the request.
    #expect(await cache.query(url, additionalIdentifier: "named")?.image.pixelWidth == 10)
  }

  @Test("a URL that no transport serves can name an image") func urlWithoutATransportCanNameAnImage() async {
    await cache.store(.halves(), for: "drawing:1")
    await cache.removeAll(from: .memory)
    #expect(await cache.query("drawing:1")?.source == .disk)
    #expect(await cache.query("drawing:2") == nil)
    #expect(await cache.location(of: "no URL") == nil)
    #expect(!(await cache.store(.halves(), for: "")))
  }

  @Test("AF-S13 isStored() reports if a download was moved to its place on disk")
  func downloadReportsThatItWasStored() async throws {
    world.transport.respondToAll { transfer in
      transfer.respond(with: (try? ImageCodecs().encode(.halves(), as: .png)) ?? [])
    }
    #expect(await (try world.downloader.image(for: url)).isStored())
    // No folder can be created below a device.
    let blocked = ImageCacheWorld(disk: DiskImageCache(directory: "/dev/null/images"))
    blocked.transport.respondToAll { transfer in
      transfer.respond(with: (try? ImageCodecs().encode(.halves(), as: .png)) ?? [])
    }
    #expect(!(await (try blocked.downloader.image(for: url)).isStored()))
  }

  @Test("an image that cannot be stored on disk is reported") func failedStoreIsReported() async {
    let downloader = ImageDownloader(transports: [], decoder: ImageCodecs())
    #expect(!(await downloader.imageCache.store(.halves(), for: url)))
    #expect(downloader.imageCache.imageInMemory(for: url) != nil)
    #expect(await downloader.imageCache.diskUsage() == nil)
    let cannotEncode = ImageCacheWorld(decoder: FakeDecoder())
    #expect(!(await cannotEncode.cache.store(.halves(), for: url)))
    #expect(await cannotEncode.cache.store(.halves(), for: url, data: [1]))
  }
}
