import Dispatch
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// The cache in which a request's image is looked up and stored.
@Suite("The cache of a request", .timeLimit(.minutes(5)))
struct RequestCacheTests {
  private let world = Fixture()
  private let other = MemoryImageCache()

  private func request(_ cache: ImageRequest.Cache) -> ImageRequest {
    var request = LoadingTests.request()
    request.cache = cache
    return request
  }

  @Test func requestsOwnCacheReplacesTheDownloadersCache() async throws {
    let image = try await world.loaded(request(.other(other))).image

    #expect(world.cache.usage == 0)
    #expect(world.downloader.cachedImage(for: request(.other(other))) === image)
    #expect(world.downloader.cachedImage(for: request(.downloader)) == nil)
    #expect(try await world.loaded(request(.other(other))).source == .memory)
    #expect(world.transport.transfers.count == 1)
    #expect(world.downloader.removeCachedImage(for: request(.other(other))))
    #expect(other.usage == 0)
  }

  @Test("YY-B6 a request without a cache neither reads nor writes the cache")
  func requestWithoutACacheBypassesTheDownloadersCache() async throws {
    let image = try await world.loaded(request(.downloader)).image
    let usage = world.cache.usage

    for count in 2...3 {
      let response = try await world.loaded(request(.none))
      #expect(response.source == .network)
      #expect(response.image !== image)
      #expect(world.transport.transfers.count == count)
    }

    #expect(world.downloader.cachedImage(for: request(.none)) == nil)
    #expect(world.downloader.cachedImage(for: request(.downloader)) === image)
    #expect(world.cache.usage == usage)
  }

  @Test func requestsWithDifferentCachesShareDownloadAndDecode() async throws {
    let caches: [ImageRequest.Cache] = [.downloader, .other(other), .none]
    let tasks = caches.map { world.downloader.load(request($0)) }
    world.transport.transfers[0].respond(with: Fixture.body)
    for task in tasks { _ = try await task.response }

    #expect(world.transport.transfers.count == 1)
    #expect(world.decoder.calls.count == 1)
    #expect(world.cache.usage > 0)
    #expect(other.usage == world.cache.usage)
  }

  @Test("YY-B24 without a cache every load goes over the network")
  func downloaderWithoutACacheAlwaysUsesTheNetwork() async throws {
    let downloader = ImageDownloader(transports: [world.transport], decoder: world.decoder, cache: nil)

    for count in 1...3 {
      let task = downloader.load(request(.downloader))
      world.transport.transfers[count - 1].respond(with: Fixture.body)
      #expect(try await task.response.source == .network)
    }

    #expect(world.transport.transfers.count == 3)
    #expect(downloader.cachedImage(for: request(.downloader)) == nil)
  }

  @Test func cacheChoicesAreEquatableAndHashable() {
    #expect(request(.downloader) == LoadingTests.request())
    #expect(request(.none) != request(.downloader))
    #expect(request(.other(other)) == request(.other(other)))
    #expect(request(.other(other)) != request(.other(MemoryImageCache())))
    #expect(Set([request(.none), request(.none), request(.other(other))]).count == 2)
  }
}

/// Transforms that a downloader applies to requests without their own.
@Suite("Transforms of a downloader", .timeLimit(.minutes(5)))
struct DownloaderTransformTests {
  /// Makes an image of the given width, and checks that it runs off the main queue.
  private struct WidthTransform: ImageTransform {
    let identifier: String
    let width: Int
    func apply(to image: Image) throws(ImageError) -> Image {
      dispatchPrecondition(condition: .notOnQueue(.main))
      return .solid(width: width, height: 1)
    }
  }

  @Test(
    "YY-B23 a transform runs off the main thread, its result is cached; requests without one use the downloader's"
  )
  @MainActor func downloaderTransformAppliesToRequestsWithoutOne() async throws {
    let world = Fixture { $0.requests.transforms = [WidthTransform(identifier: "thin", width: 1)] }

    let plain = try await world.loaded(request("a.jpg")).image
    let wide = WidthTransform(identifier: "wide", width: 9)
    let other = try await world.loaded(request("a.jpg", transforms: [wide])).image

    #expect(plain.pixelWidth == 1)
    #expect(other.pixelWidth == 9)
    #expect(world.downloader.cachedImage(for: request("a.jpg")) === plain)
    #expect(try await world.loaded(request("a.jpg")).image === plain)
    #expect(try await world.downloader.image(for: request("a.jpg")).image === plain)
    #expect(world.downloader.removeCachedImage(for: request("a.jpg")))
    #expect(world.downloader.cachedImage(for: request("a.jpg")) == nil)
  }
}
