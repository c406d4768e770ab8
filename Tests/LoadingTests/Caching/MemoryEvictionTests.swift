import Synchronization
import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// A memory cache counts its images in a ledger, and evicts them for reservations and under memory pressure.
@Suite(.timeLimit(.minutes(5))) struct MemoryEvictionTests {
  // MARK: Counting

  @Test func cacheCountsItsImagesInOneLedger() {
    let cache = MemoryImageCache()
    cache.insert(.solid(width: 10, height: 10), for: request(), additionalIdentifier: nil)
    let first = MemoryLedger()
    let second = MemoryLedger()

    cache.count(against: first)
    cache.count(against: first)
    #expect(first.usage.cache == 400)
    cache.count(against: second)
    #expect(first.usage.cache == 0)
    #expect(second.usage.cache == 400)
    cache.removeAllImages()
    #expect(second.usage.cache == 0)
  }

  @Test func releasedCacheLeavesTheLedger() {
    let ledger = MemoryLedger()
    do {
      let cache = MemoryImageCache()
      cache.count(against: ledger)
      cache.insert(.solid(width: 10, height: 10), for: request(), additionalIdentifier: nil)
      #expect(ledger.usage.cache == 400)
    }
    #expect(ledger.usage.cache == 0)
  }

  @Test("AF-C22 the ledger agrees with a cache that several threads use")
  func ledgerAgreesWithACacheUnderConcurrentUse() async {
    let ledger = MemoryLedger(budget: 12_000)
    let cache = MemoryImageCache(capacity: 20_000, preferredUsageAfterPurge: 10_000, countLimit: 15)
    cache.count(against: ledger)
    await withDiscardingTaskGroup { group in
      for seed in 0..<8 {
        group.addTask {
          for step in 0..<500 {
            let request = request("\((step * 7 + seed * 13) % 31)")
            switch step % 9 {
            case 0...3: cache.insert(.solid(width: 250, height: 1), for: request, additionalIdentifier: nil)
            case 4: cache.removeImage(for: request, additionalIdentifier: nil)
            case 5 where step % 45 == 5: cache.removeAllImages()
            case 5: cache.purge(to: 5000)
            case 6: cache.release(bytes: 1500)
            case 7: cache.handlePressure(step % 2 == 0 ? .warning : .critical)
            default: _ = cache.image(for: request, additionalIdentifier: nil)
            }
          }
        }
      }
    }

    #expect(ledger.usage.cache == cache.usage)
    #expect(cache.usage == cache.statistics.entries * 1000)
  }

  // MARK: Eviction

  @Test func reservationEvictsTheLeastRecentlyUsedImageFirst() {
    let ledger = MemoryLedger(budget: 1000)
    let cache = MemoryImageCache()
    cache.count(against: ledger)
    for name in ["a", "b"] {
      cache.insert(.solid(width: 10, height: 10), for: request(name), additionalIdentifier: nil)
    }

    let body = MemoryReservation(300, in: ledger, as: .bodies)

    #expect(cache.image(for: request("a"), additionalIdentifier: nil) == nil)
    #expect(cache.image(for: request("b"), additionalIdentifier: nil) != nil)
    #expect(cache.statistics.evictionsByReason == [.pressure: 1])
    body.end()
  }

  @Test("AF-C19 critical memory pressure empties the cache except for images that are being shown")
  func criticalPressureKeepsOnlyShownImages() {
    let ledger = MemoryLedger()
    let cache = MemoryImageCache(capacity: 4000, preferredUsageAfterPurge: 1000)
    cache.count(against: ledger)
    let shown = Image.solid(width: 10, height: 10)
    let showing = Image.Showing(shown)
    cache.insert(shown, for: request("shown"), additionalIdentifier: nil)
    for name in ["a", "b", "c", "d"] {
      cache.insert(.solid(width: 10, height: 10), for: request(name), additionalIdentifier: nil)
    }

    ledger.handlePressure(.warning)
    #expect(cache.usage == 800)
    ledger.handlePressure(.critical)
    #expect(cache.usage == 400)
    #expect(cache.image(for: request("shown"), additionalIdentifier: nil) === shown)
    _ = consume showing
    ledger.handlePressure(.critical)

    #expect(cache.usage == 0)
    #expect(ledger.usage.total == 0)
  }

  @Test("YY-B32 a cache reacts to memory pressure only if it counts in the ledger that reports the pressure")
  func cacheReactsOnlyToPressureOfItsLedger() {
    let ledger = MemoryLedger()
    let counted = MemoryImageCache()
    let other = MemoryImageCache()
    counted.count(against: ledger)
    for cache in [counted, other] {
      cache.insert(.solid(width: 10, height: 10), for: request(), additionalIdentifier: nil)
    }

    ledger.handlePressure(.critical)

    #expect(counted.usage == 0)
    #expect(other.usage == 400)
  }
}
