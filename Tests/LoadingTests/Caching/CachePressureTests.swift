import Synchronization
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Memory pressure and the memory cache of an application.
@Suite struct CachePressureTests {
  private let ledger = MemoryLedger()

  private func downloader(_ cache: any ImageRequestCache) -> ImageDownloader {
    var configuration = ImageDownloader.Configuration()
    configuration.memory.ledger = ledger
    return ImageDownloader(
      configuration: configuration, transports: [FakeTransport()], decoder: FakeDecoder(), cache: cache)
  }

  @Test func cacheOfTheApplicationIsToldOfMemoryPressure() {
    let cache = OwnCache()
    let downloader = downloader(cache)

    ledger.handlePressure(.warning)
    ledger.handlePressure(.critical)

    #expect(cache.pressures == [.warning, .critical])
    withExtendedLifetime(downloader) {}
  }

  @Test func cacheOfAReleasedDownloaderIsNotTold() {
    let cache = OwnCache()
    var downloader: ImageDownloader? = downloader(cache)
    #expect(downloader?.cache === cache)
    downloader = nil

    ledger.handlePressure(.critical)

    #expect(cache.pressures.isEmpty)
  }

  @Test func pressureOnMemoryCacheLeavesThePreferredUsageOrNothing() {
    let cost = Image.solid(width: 10, height: 10).cost
    let cache = MemoryImageCache(capacity: 10 * cost, preferredUsageAfterPurge: cost)
    for name in ["a.jpg", "b.jpg", "c.jpg"] {
      cache.insert(.solid(width: 10, height: 10), for: request(name), additionalIdentifier: nil)
    }
    let own: any ImageRequestCache = cache

    own.handleMemoryPressure(.warning)
    #expect(cache.usage == cost)
    own.handleMemoryPressure(.critical)
    #expect(cache.usage == 0)
  }
}

/// A cache without images that remembers the reported memory pressure.
private final class OwnCache: ImageRequestCache {
  private let reported = Mutex<[MemoryPressure]>([])
  var pressures: [MemoryPressure] { reported.withLock { $0 } }

  func handleMemoryPressure(_ pressure: MemoryPressure) { reported.withLock { $0.append(pressure) } }
  func image(for request: ImageRequest, additionalIdentifier: String?) -> Image? { nil }
  func insert(_ image: Image, for request: ImageRequest, additionalIdentifier: String?) {}
  func removeImage(for request: ImageRequest, additionalIdentifier: String?) -> Bool { false }
  func removeAllImages() -> Bool { false }
}
