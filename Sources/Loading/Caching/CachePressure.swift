import VitrineGraphics

/// Passes memory pressure on to an application's own cache, which is no `MemoryHolder`. A ledger retains no holder; the
/// downloader retains this one.
final class CachePressure: MemoryHolder {
  private let cache: any ImageRequestCache

  init(_ cache: any ImageRequestCache) { self.cache = cache }

  func count(against ledger: MemoryLedger) { ledger.register(self, as: .cache) }

  /// Does nothing: the ledger does not count the images of the cache.
  func release(bytes: Int) {}

  func handlePressure(_ pressure: MemoryPressure) { cache.handleMemoryPressure(pressure) }
}
