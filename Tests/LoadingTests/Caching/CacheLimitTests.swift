import Synchronization
import Testing
import VitrineGraphics
import VitrineLoading
import VitrineTesting

/// Limits of a memory cache other than its capacity: count, age and cost of one entry.
@Suite(.timeLimit(.minutes(5))) struct CacheLimitTests {
  private static let size = 1000

  /// A manual clock in nanoseconds.
  private final class Clock: Sendable {
    private let time = Atomic<Int64>(1_000_000_000_000)
    var now: Int64 { time.load(ordering: .relaxed) }
    func advance(_ seconds: Double) { time.add(Int64(seconds * 1e9), ordering: .relaxed) }
  }

  private let clock = Clock()

  private func cache(
    capacity: Int = 1 << 20, countLimit: Int = .max, timeToLive: Double = .infinity,
    entryCostLimit: Int? = nil
  ) -> MemoryImageCache {
    let clock = clock
    return MemoryImageCache(
      capacity: capacity, preferredUsageAfterPurge: capacity * 6 / 10, countLimit: countLimit,
      timeToLive: timeToLive, entryCostLimit: entryCostLimit, clock: { clock.now })
  }

  private func insert(_ name: String, bytes: Int = size, into cache: MemoryImageCache) {
    cache.insert(.solid(width: bytes / 4, height: 1), for: request(name), additionalIdentifier: nil)
  }

  private func isCached(_ name: String, _ cache: MemoryImageCache) -> Bool {
    cache.image(for: request(name), additionalIdentifier: nil) != nil
  }

  // MARK: Count

  @Test("YY-B30 a cache of at most two images evicts the least recently used image when a third one comes")
  func countLimitEvictsTheLeastRecentlyUsedImage() {
    let cache = cache(countLimit: 2)
    insert("a", into: cache)
    insert("b", into: cache)
    #expect(isCached("a", cache))

    insert("c", into: cache)

    #expect(!isCached("b", cache))
    #expect(isCached("a", cache) && isCached("c", cache))
    #expect(cache.statistics.evictionsByReason == [.count: 1])
  }

  @Test(
    "YY-B30 YY-B31 a count limit of zero or less empties the cache and keeps it empty", arguments: [0, -1])
  func countLimitOfZeroEmptiesTheCache(limit: Int) {
    let cache = cache()
    for name in ["a", "b", "c"] { insert(name, into: cache) }

    cache.countLimit = limit
    insert("d", into: cache)

    #expect(cache.statistics.entries == 0)
    #expect(cache.usage == 0)
    #expect(cache.countLimit == 0)
  }

  @Test func loweringTheCountLimitEvictsAtOnce() {
    let cache = cache()
    for name in ["a", "b", "c", "d"] { insert(name, into: cache) }

    cache.countLimit = 3

    #expect(!isCached("a", cache) && isCached("b", cache) && isCached("c", cache) && isCached("d", cache))
  }

  @Test func eachSizeOfAnImageCountsTowardTheLimit() {
    let cache = cache(countLimit: 2)
    for side in [1, 2, 3] {
      let target = DecodeTarget(width: side, height: side)
      cache.insert(
        .solid(width: side, height: side, sourceWidth: 9, sourceHeight: 9), for: request(target: target),
        additionalIdentifier: nil)
    }

    #expect(cache.statistics.entries == 2)
  }

  // MARK: Age

  @Test("YY-B31 the lookup of an expired image is a cache miss and evicts the image")
  func expiredImageIsEvictedByItsLookup() {
    let cache = cache(timeToLive: 10)
    insert("a", into: cache)
    clock.advance(9.9)
    #expect(isCached("a", cache))

    clock.advance(0.1)

    #expect(!isCached("a", cache), "a cache hit does not extend the life of an image")
    #expect(cache.usage == 0)
    #expect(cache.statistics.evictionsByReason == [.age: 1])
    #expect(cache.statistics.misses == 1)
  }

  @Test("YY-B31 expired images are evicted by an insert, without a timer") func insertEvictsExpiredImages() {
    let cache = cache(timeToLive: 10)
    for name in ["a", "b", "c"] { insert(name, into: cache) }
    clock.advance(11)
    #expect(cache.statistics.entries == 3)

    insert("d", into: cache)

    #expect(cache.statistics.entries == 1)
    #expect(cache.usage == Self.size)
  }

  @Test func sweepsAreAtMostAQuarterOfTheTimeToLiveApart() {
    let cache = cache(timeToLive: 4)
    insert("first", into: cache)
    clock.advance(0.5)
    insert("second", into: cache)
    clock.advance(3.5)
    insert("third", into: cache)
    #expect(cache.statistics.entries == 2, "the first image has expired")

    clock.advance(1.1)
    insert("fourth", into: cache)

    #expect(cache.statistics.evictionsByReason == [.age: 2])
    #expect(cache.statistics.entries == 2)
  }

  @Test func sweepsContinueAfterTheClockIsSetBack() {
    let cache = cache(timeToLive: 4)
    insert("first", into: cache)
    clock.advance(-1000)
    insert("second", into: cache)
    clock.advance(4.5)

    insert("third", into: cache)

    #expect(cache.statistics.evictionsByReason == [.age: 2])
  }

  @Test func loweringTheTimeToLiveEvictsExpiredImagesAtOnce() {
    let cache = cache(timeToLive: 1000)
    insert("first", into: cache)
    clock.advance(251)
    insert("second", into: cache)
    clock.advance(5)

    cache.timeToLive = 40

    #expect(cache.statistics.evictionsByReason == [.age: 1])
    #expect(cache.statistics.entries == 1)
  }

  @Test func changedTimeToLiveAppliesToLookups() {
    let cache = cache()
    insert("old", into: cache)
    cache.timeToLive = 1
    clock.advance(2)
    #expect(!isCached("old", cache))

    insert("new", into: cache)
    cache.timeToLive = .infinity
    clock.advance(1000)
    #expect(isCached("new", cache))
  }

  @Test func expiredImageIsRemovedFromTheLedger() {
    let cache = cache(timeToLive: 1)
    let ledger = MemoryLedger()
    cache.count(against: ledger)
    insert("old", into: cache)
    clock.advance(2)

    #expect(!isCached("old", cache))

    #expect(ledger.usage.cache == 0)
    #expect(cache.usage == 0)
  }

  @Test func lookupSkipsAnExpiredVariantForALargerOne() {
    let cache = cache(timeToLive: 10)
    func variant(_ side: Int) {
      cache.insert(
        .solid(width: side, height: side, sourceWidth: 9, sourceHeight: 9),
        for: request(target: DecodeTarget(width: side, height: side)), additionalIdentifier: nil)
    }
    variant(2)
    clock.advance(6)
    variant(4)
    clock.advance(6)

    let found = cache.image(
      for: request(target: DecodeTarget(width: 2, height: 2)), additionalIdentifier: nil)

    #expect(found?.pixelWidth == 4, "the small variant has expired, and the large variant is returned")
    #expect(cache.statistics.entries == 1)
  }

  @Test(
    "YY-B31 a time to live of zero, below zero or NaN caches nothing",
    arguments: [0, -1, -Double.infinity, Double.nan])
  func timeToLiveOfZeroOrLessPreventsCaching(timeToLive: Double) {
    let cache = cache(timeToLive: timeToLive)
    insert("a", into: cache)
    #expect(!isCached("a", cache))
    #expect(cache.usage == 0)

    let other = self.cache()
    insert("a", into: other)
    other.timeToLive = timeToLive
    #expect(other.usage == 0, "setting such a time to live empties the cache")
  }

  @Test(arguments: [Double.infinity, Double.greatestFiniteMagnitude, 1e300])
  func veryLongTimeToLiveNeverExpires(timeToLive: Double) {
    let cache = cache(timeToLive: timeToLive)
    insert("a", into: cache)
    clock.advance(1e8)

    #expect(isCached("a", cache))
  }

  @Test func clockSetBackRestartsTheTimeToLive() {
    let cache = cache(timeToLive: 10)
    insert("a", into: cache)

    clock.advance(-500)
    #expect(isCached("a", cache))
    clock.advance(9)
    #expect(isCached("a", cache))
    clock.advance(1)

    #expect(!isCached("a", cache), "the time to live restarted when the cache noticed the earlier clock")
  }

  // MARK: Entry cost

  @Test func imageAboveTheEntryCostLimitIsNotCached() {
    let cache = cache(entryCostLimit: 2000)

    insert("a", bytes: 2000, into: cache)
    insert("b", bytes: 2004, into: cache)

    #expect(isCached("a", cache) && !isCached("b", cache))
    #expect(cache.statistics.inserts == 1)
    #expect(cache.statistics.refusals == 1)
  }

  @Test func refusedImageRemovesItsPredecessor() {
    let cache = cache(entryCostLimit: 2000)
    insert("a", into: cache)

    insert("a", bytes: 4000, into: cache)

    #expect(!isCached("a", cache), "the image behind the URL has changed")
  }

  @Test(
    "An entry cost limit of zero or less caches nothing, and the largest integer allows any image",
    arguments: [Int.min, -1, 0, Int.max])
  func extremeEntryCostLimitsAreAccepted(limit: Int) {
    let cache = cache(entryCostLimit: limit)
    insert("a", into: cache)

    #expect(isCached("a", cache) == (limit == .max))
  }

  @Test(
    "The default entry cost limit is the preferred usage after a purge, but at least a quarter of the capacity"
  )
  func defaultEntryCostLimitFollowsThePreferredUsage() {
    let large = MemoryImageCache(capacity: 10_000, preferredUsageAfterPurge: 6000)
    insert("fits", bytes: 6000, into: large)
    insert("does not", bytes: 6004, into: large)
    #expect(isCached("fits", large) && !isCached("does not", large))

    let empties = MemoryImageCache(capacity: 10_000, preferredUsageAfterPurge: 0)
    insert("fits", bytes: 2500, into: empties)
    insert("does not", bytes: 2504, into: empties)
    #expect(isCached("fits", empties) && !isCached("does not", empties))
  }

  @Test("Extreme limits are accepted", arguments: [Int.min, 0, 1, Int.max])
  func extremeLimitsAreAccepted(limit: Int) {
    let cache = MemoryImageCache(
      capacity: limit, preferredUsageAfterPurge: limit, countLimit: limit, timeToLive: 1e308,
      entryCostLimit: limit)
    for name in ["a", "b", "a", "c"] { insert(name, into: cache) }
    cache.purge(to: limit)
    cache.release(bytes: limit)
    cache.handlePressure(.warning)

    #expect(cache.usage == cache.statistics.entries * Self.size)
    #expect(cache.usage <= max(0, limit))
  }
}
