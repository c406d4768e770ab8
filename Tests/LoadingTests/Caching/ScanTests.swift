import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Scan resistance of the memory cache: images that are used once must not evict images in use.
@Suite(.timeLimit(.minutes(5))) struct ScanTests {
  /// Requests for images of 10,000 bytes each, as many as a screen shows.
  private static let shown = (0..<60).map { request("shown-\($0)") }
  private let cache = MemoryImageCache(capacity: 2_000_000, preferredUsageAfterPurge: 1_200_000)

  private func image() -> Image { .solid(width: 50, height: 50) }

  private func insert(_ request: ImageRequest) {
    cache.insert(image(), for: request, additionalIdentifier: nil)
  }

  private func isCached(_ request: ImageRequest) -> Bool {
    cache.image(for: request, additionalIdentifier: nil) != nil
  }

  @Test func scanOfTenThousandImagesKeepsRegularlyUsedImages() {
    for request in Self.shown { insert(request) }
    for request in Self.shown { #expect(isCached(request)) }
    var hits = 0
    var lookups = 0

    for number in 0..<10_000 {
      insert(request("scanned-\(number)"))
      // Each shown image is looked up once in 3,000 insertions, which exceed the capacity.
      guard number % 50 == 0 else { continue }
      lookups += 1
      let shown = Self.shown[number / 50 % Self.shown.count]
      if isCached(shown) { hits += 1 } else { insert(shown) }
    }

    #expect(Double(hits) >= 0.95 * Double(lookups), "\(hits) of \(lookups)")
    #expect(cache.usage <= cache.capacity)
  }

  @Test func shownImageStaysCachedWithoutLookups() {
    let image = image()
    cache.insert(image, for: Self.shown[0], additionalIdentifier: nil)
    do {
      let showing = Image.Showing(image)
      for number in 0..<1000 { insert(request("scanned-\(number)")) }
      #expect(isCached(Self.shown[0]))
      _ = consume showing
    }

    cache.purge(to: 0)

    #expect(!isCached(Self.shown[0]))
  }

  @Test func shownImagesDoNotExceedTheCapacity() {
    let images = (0..<300).map { _ in image() }
    let showing = images.map { Held(Image.Showing($0)) }
    for (number, image) in images.enumerated() {
      cache.insert(image, for: request("\(number)"), additionalIdentifier: nil)
      #expect(cache.usage <= cache.capacity)
    }

    #expect(isCached(request("299")), "the newest image is cached")
    withExtendedLifetime(showing) {}
  }

  @Test("AF-C21 an inserted image is found, although all other images have been used")
  func newImageIsKeptAmongUsedImages() {
    for number in 0..<200 {
      insert(request("\(number)"))
      #expect(isCached(request("\(number)")))
    }
    for number in 200..<400 {
      insert(request("\(number)"))
      #expect(isCached(request("\(number)")))
    }
  }

  @Test func imageUsedOnceIsEventuallyEvicted() {
    for request in Self.shown {
      insert(request)
      #expect(isCached(request))
    }

    // All these images are used too.
    for number in 0..<1000 {
      insert(request("new-\(number)"))
      #expect(isCached(request("new-\(number)")))
    }

    #expect(!Self.shown.contains(where: isCached))
  }

  @Test(
    "Used images take four fifths of the cache after a purge, so that new images can become used",
    arguments: [false, true])
  func usedImagesTakeFourFifthsAfterAPurge(removesAllFirst: Bool) {
    if removesAllFirst { cache.removeAllImages() }
    for number in 0..<120 { insert(request("old-\(number)")) }
    for number in 0..<120 { #expect(isCached(request("old-\(number)"))) }
    for number in 0..<81 { insert(request("new-\(number)")) }

    #expect(cache.usage == cache.preferredUsageAfterPurge)
    #expect((0..<81).filter { isCached(request("new-\($0)")) }.count == 24)
  }

  @Test func shownImageIsEvictedLast() {
    let shown = image()
    cache.insert(shown, for: request("shown"), additionalIdentifier: nil)
    let showing = Held(Image.Showing(shown))
    insert(request("other"))

    cache.release(bytes: shown.cost)
    #expect(isCached(request("shown")))
    #expect(!isCached(request("other")))

    cache.release(bytes: shown.cost)
    #expect(!isCached(request("shown")), "the shown image is the only one left")
    withExtendedLifetime(showing) {}
  }

  /// A purge skips each visible image once, so that it ends.
  @Test func purgeThatSkipsShownImagesEnds() {
    var images = CachedImages()
    let shown = image()
    let index = images.insert(shown, as: ImageIdentity(request("shown")), at: nil, 0)
    let showing = Held(Image.Showing(shown))
    var purge = CachedImages.Purge(cost: 0, sparing: images.count)
    var removed: [Image] = []

    let isOver = images.purge(&purge, atMost: 3, into: &removed)

    #expect(isOver)
    #expect(index == 0)
    #expect(removed.map(\.number) == [shown.number])
    withExtendedLifetime(showing) {}
  }

  /// A box for a noncopyable value, which an array cannot hold.
  private final class Held {
    private let showing: Image.Showing
    init(_ showing: consuming Image.Showing) { self.showing = showing }
  }
}
