import FoundationEssentials
import Testing
import VitrineGraphics
import VitrineLoading
import VitrineTesting

/// The memory cache alone, with images of 1000 bytes each.
@Suite(.timeLimit(.minutes(5))) struct MemoryImageCacheTests {
  private static let size = 1000
  private let cache = MemoryImageCache(capacity: 10 * size, preferredUsageAfterPurge: 6 * size)

  private func image() -> Image { .solid(width: Self.size / 4, height: 1) }

  private func fill(_ numbers: Range<Int>) {
    for number in numbers { cache.insert(image(), for: request("\(number)"), additionalIdentifier: nil) }
  }

  /// Returns the numbers whose images are cached. Each lookup counts as a use.
  private func cachedNumbers(_ numbers: Range<Int> = 0..<20) -> [Int] {
    numbers.filter { cache.image(for: request("\($0)"), additionalIdentifier: nil) != nil }
  }

  @Test("AF-C1, AF-C2, AF-C21 an inserted image is found, and each lookup returns the same instance")
  func insertedImageIsFound() {
    let image = image()

    cache.insert(image, for: request(), additionalIdentifier: nil)

    #expect(cache.image(for: request(), additionalIdentifier: nil) === image)
    #expect(cache.image(for: request(), additionalIdentifier: nil) === image)
  }

  @Test("AF-C3, AF-C4 a lookup needs the same additional identifier")
  func lookupNeedsTheSameAdditionalIdentifier() {
    let image = image()

    cache.insert(image, for: request(), additionalIdentifier: "round")

    #expect(cache.image(for: request(), additionalIdentifier: "round") === image)
    #expect(cache.image(for: request(), additionalIdentifier: nil) == nil)
    #expect(cache.image(for: request(), additionalIdentifier: "square") == nil)
  }

  @Test("AF-C5 an image is not found under another URL") func imageIsNotFoundUnderAnotherURL() {
    cache.insert(image(), for: request("a"), additionalIdentifier: nil)

    #expect(cache.image(for: request("b"), additionalIdentifier: nil) == nil)
  }

  @Test func requestDoesNotFindTheImageThatHasTakenThePlaceOfItsOwn() {
    let (first, second) = (request("first"), request("second"))
    let (image, other) = (image(), image())
    cache.insert(image, for: first, additionalIdentifier: nil)
    #expect(cache.image(for: first, additionalIdentifier: nil) === image)
    cache.removeImage(for: first, additionalIdentifier: nil)

    cache.insert(other, for: second, additionalIdentifier: nil)

    #expect(cache.image(for: first, additionalIdentifier: nil) == nil)
    #expect(cache.image(for: second, additionalIdentifier: nil) === other)
  }

  @Test func twoCachesHaveTheirOwnImagesOfARequest() {
    let shared = request("shared")
    let (image, other) = (image(), image())
    let otherCache = MemoryImageCache()
    // The images have different places in the two caches.
    cache.insert(self.image(), for: request("earlier"), additionalIdentifier: nil)

    cache.insert(image, for: shared, additionalIdentifier: nil)
    otherCache.insert(other, for: shared, additionalIdentifier: nil)

    for _ in 0..<2 {
      #expect(cache.image(for: shared, additionalIdentifier: nil) === image)
      #expect(otherCache.image(for: shared, additionalIdentifier: nil) === other)
    }
    #expect(cache.statistics.hits == 2)
    #expect(cache.statistics.misses == 0)
  }

  @Test(
    "AF-C6, AF-C20 an image of the same identity replaces the old image and its cost",
    arguments: [250, 100, 300])
  func newImageReplacesTheOldImageAndItsCost(width: Int) {
    let new = Image.solid(width: width, height: 1)
    cache.insert(image(), for: request(), additionalIdentifier: nil)

    cache.insert(new, for: request(), additionalIdentifier: nil)

    #expect(cache.image(for: request(), additionalIdentifier: nil) === new)
    #expect(cache.usage == new.cost)
  }

  @Test("AF-C7, AF-C8, AF-C13 removing an image returns whether there was one and subtracts its cost")
  func removingAnImageSubtractsItsCost() {
    cache.insert(image(), for: request(), additionalIdentifier: nil)

    #expect(cache.removeImage(for: request(), additionalIdentifier: nil))
    #expect(cache.image(for: request(), additionalIdentifier: nil) == nil)
    #expect(!cache.removeImage(for: request(), additionalIdentifier: nil))
    #expect(cache.usage == 0)
  }

  @Test("AF-C9, AF-C10, AF-C11 removing an image needs the same additional identifier")
  func removingNeedsTheSameAdditionalIdentifier() {
    cache.insert(image(), for: request(), additionalIdentifier: "round")

    #expect(!cache.removeImage(for: request(), additionalIdentifier: nil))
    #expect(!cache.removeImage(for: request(), additionalIdentifier: "square"))
    #expect(cache.image(for: request(), additionalIdentifier: "round") != nil)
    #expect(cache.removeImage(for: request(), additionalIdentifier: "round"))
  }

  @Test("AF-C12 usage is the size of the pixels of all frames in bytes")
  func usageCountsThePixelsOfAllFrames() {
    cache.insert(.solid(width: 10, height: 5), for: request("still"), additionalIdentifier: nil)
    #expect(cache.usage == 10 * 5 * 4)
    let frame = Image.Frame(bitmap: Bitmap(width: 10, height: 5, color: .black), duration: 0.1)

    cache.insert(Image(frames: [frame, frame]), for: request("animated"), additionalIdentifier: nil)

    #expect(cache.usage == 3 * 10 * 5 * 4)
  }

  @Test("AF-C14 a cache above its capacity is purged to the preferred usage")
  func cacheAboveItsCapacityIsPurged() {
    for count in 1...10 {
      fill(count - 1..<count)
      #expect(cache.usage == count * Self.size)
    }

    fill(10..<11)

    #expect(cache.usage == 6 * Self.size)
    #expect(cache.statistics.evictions == 5)
  }

  @Test("AF-C15 the least recently used images are evicted first")
  func leastRecentlyUsedImagesAreEvictedFirst() {
    fill(0..<10)
    _ = cache.image(for: request("0"), additionalIdentifier: nil)

    fill(10..<11)

    #expect(cachedNumbers() == [0, 6, 7, 8, 9, 10])
  }

  @Test("AF-F8 replacing an image counts as a use") func replacingAnImageCountsAsAUse() {
    fill(0..<10)
    fill(0..<1)

    fill(10..<11)

    #expect(cachedNumbers() == [0, 6, 7, 8, 9, 10])
  }

  @Test("AF-C16 every image should be cached by default") func everyImageShouldBeCachedByDefault() {
    #expect(cache.shouldCache(image(), for: request(), additionalIdentifier: nil))
  }

  @Test("AF-C17 the default capacity is 100 MiB, and 60 MiB after a purge") func defaultCapacityIs100MiB() {
    #expect(MemoryImageCache().capacity == 104_857_600)
    #expect(MemoryImageCache().preferredUsageAfterPurge == 62_914_560)
  }

  @Test("AF-C18 removing all images returns whether there were any")
  func removingAllImagesReturnsWhetherThereWereAny() {
    fill(0..<3)

    #expect(cache.removeAllImages())
    #expect(!cache.removeAllImages())
    #expect(cache.usage == 0)
    #expect(cachedNumbers() == [])
  }

  @Test("AF-C19 YY-B32 memory pressure empties the cache") func memoryPressureEmptiesTheCache() {
    fill(0..<3)

    cache.handleMemoryPressure()

    #expect(cache.statistics.entries == 0)
  }

  @Test("AF-F7 an image larger than the capacity is not cached, and the other images stay")
  func imageLargerThanTheCapacityIsNotCached() {
    fill(0..<3)

    cache.insert(.solid(width: 11 * 250, height: 1), for: request("large"), additionalIdentifier: nil)

    #expect(cachedNumbers() == [0, 1, 2])
    #expect(cache.image(for: request("large"), additionalIdentifier: nil) == nil)
    #expect(cache.statistics.refusals == 1)
  }

  @Test func purgingToALimitEvictsTheOldestImages() {
    fill(0..<5)

    cache.purge(to: 2 * Self.size + 1)

    #expect(cachedNumbers() == [3, 4])
    cache.purge(to: -1)
    #expect(cache.usage == 0)
    cache.purge(to: 0)
  }

  @Test func limitsOfAFilledCacheCanChange() {
    fill(0..<10)

    cache.preferredUsageAfterPurge = 4 * Self.size
    #expect(cache.usage == 10 * Self.size)
    cache.capacity = 9 * Self.size
    #expect(cachedNumbers() == [6, 7, 8, 9])
    cache.preferredUsageAfterPurge = 100 * Self.size
    cache.capacity = 3 * Self.size
    #expect(cache.usage == 3 * Self.size, "a preferred usage above the capacity counts as the capacity")
  }

  @Test("A capacity of zero or less caches nothing", arguments: [0, -1])
  func capacityOfZeroPreventsCaching(capacity: Int) {
    let cache = MemoryImageCache(capacity: capacity, preferredUsageAfterPurge: capacity)

    cache.insert(image(), for: request(), additionalIdentifier: nil)

    #expect(cache.usage == 0)
    #expect(cache.capacity == 0)
  }

  @Test func statisticsCountInsertsHitsAndMisses() {
    fill(0..<2)
    _ = cachedNumbers(0..<5)

    let statistics = cache.statistics
    #expect(statistics.inserts == 2)
    #expect(statistics.hits == 2)
    #expect(statistics.misses == 3)
    #expect(statistics.entries == 2)
    #expect(statistics.cost == 2 * Self.size)
    #expect(statistics.evictions == 0)
  }

  @Test("AF-C22 usage and entries agree after reads and writes on several threads")
  func usageAgreesWithEntriesAfterConcurrentUse() async {
    let cache = cache
    let size = Self.size
    await withDiscardingTaskGroup { group in
      for seed in 0..<4 {
        group.addTask {
          for step in 0..<2000 {
            let request = request("\((step * 7 + seed * 13) % 23)")
            switch step % 5 {
            case 0, 1: cache.insert(.solid(width: 250, height: 1), for: request, additionalIdentifier: nil)
            case 4 where step % 50 == 4: cache.removeAllImages()
            case 4: cache.removeImage(for: request, additionalIdentifier: nil)
            default: _ = cache.image(for: request, additionalIdentifier: nil)
            }
          }
        }
      }
    }

    #expect(cache.usage == cache.statistics.entries * size)
    #expect(cachedNumbers(0..<23).count == cache.statistics.entries)
    #expect(cache.usage <= cache.capacity)
  }

  @Test func evictedImagesAreFreed() {
    weak var weakImage: Image?
    do {
      let image = image()
      weakImage = image
      cache.insert(image, for: request("freed"), additionalIdentifier: nil)
    }
    #expect(weakImage != nil)

    fill(0..<11)

    #expect(weakImage == nil)
  }
}
