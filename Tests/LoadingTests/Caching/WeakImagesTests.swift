import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Images that a memory cache finds again while another owner holds them, and a cache with a timer.
@Suite(.timeLimit(.minutes(5))) struct WeakImagesTests {
  private func lookUp(_ cache: MemoryImageCache, _ name: String) -> Image? {
    cache.image(for: request(name), additionalIdentifier: nil)
  }

  @Test("SD-C35 after a memory warning an image in use is found only with weak references")
  func imageInUseIsFoundAfterAMemoryWarningOnlyWithWeakReferences() {
    for keepsWeakReferences in [false, true] {
      // Each image costs 100 bytes.
      let cache = MemoryImageCache(capacity: 1000, preferredUsageAfterPurge: 500, countLimit: 5)
      cache.keepsWeakReferences = keepsWeakReferences
      for name in ["b", "c", "d", "e", "f"] {
        cache.insert(.solid(width: 5, height: 5), for: request(name), additionalIdentifier: nil)
      }
      let image = Image.solid(width: 5, height: 5)
      cache.insert(image, for: request("a"), additionalIdentifier: nil)
      #expect(cache.countLimit == 5 && cache.capacity == 10 * image.cost)
      #expect(cache.statistics.entries == 5)

      cache.handleMemoryPressure()

      #expect(cache.usage == 0)
      #expect((lookUp(cache, "a") === image) == keepsWeakReferences)
      #expect(cache.usage == (keepsWeakReferences ? image.cost : 0))
    }
  }

  @Test("a released image is not found, and neither is a removed image")
  func releasedAndRemovedImagesAreNotFound() {
    let cache = MemoryImageCache()
    cache.keepsWeakReferences = true
    cache.insert(.solid(width: 5, height: 5), for: request("gone"), additionalIdentifier: nil)
    let retained = Image.solid(width: 5, height: 5)
    cache.insert(retained, for: request("removed"), additionalIdentifier: nil)
    cache.insert(retained, for: request("all"), additionalIdentifier: nil)
    cache.purge(to: 0)

    #expect(lookUp(cache, "gone") == nil)
    #expect(cache.removeImage(for: request("removed"), additionalIdentifier: nil))
    #expect(lookUp(cache, "removed") == nil)
    #expect(lookUp(cache, "all") === retained)
    #expect(cache.removeAllImages())
    #expect(lookUp(cache, "all") == nil)
  }

  @Test("the table of weak references does not grow with released images")
  func weakReferenceTableStaysSmall() {
    var images = WeakImages()
    for number in 0..<10_000 {
      images.insert(
        .solid(width: 1, height: 1), as: ImageIdentity(request("\(number)")), at: nil, scaleDownBytes: nil)
    }
    let last = Image.solid(width: 1, height: 1)
    let identity = ImageIdentity(request("last"))
    images.insert(last, as: identity, at: nil, scaleDownBytes: nil)
    #expect(images.image(identity, at: nil, scaleDownBytes: nil) === last)
    #expect(images.image(identity, at: DecodeTarget(width: 1, height: 1), scaleDownBytes: nil) == nil)
    #expect(images.entryCount <= 64)
  }

  @Test("SD-C52 the memory cache obeys its cost and count limits") func cacheObeysItsCostAndCountLimits() {
    let cache = MemoryImageCache(capacity: 400, preferredUsageAfterPurge: 400, countLimit: 3)
    for name in ["a", "b", "c", "d"] {
      cache.insert(.solid(width: 5, height: 5), for: request(name), additionalIdentifier: nil)
    }
    #expect(cache.statistics.entries == 3 && lookUp(cache, "a") == nil)
    cache.countLimit = .max
    cache.insert(.solid(width: 5, height: 5), for: request("e"), additionalIdentifier: nil)
    #expect(cache.usage == 400)
    cache.insert(.solid(width: 5, height: 5), for: request("f"), additionalIdentifier: nil)
    #expect(cache.usage <= 400 && cache.statistics.evictionsByReason[.capacity] == 1)
  }

  @Test(
    "YY-B31 a timer removes expired images, inserts obey the cost limit, and a limit of 0 empties the cache")
  func timerRemovesExpiredImages() {
    let clock = ManualLoadingClock()
    let cache = MemoryImageCache(
      capacity: 400, preferredUsageAfterPurge: 400, timeToLive: 5, timer: clock)
    cache.insert(.solid(width: 5, height: 5), for: request("a"), additionalIdentifier: nil)
    clock.advance(by: 3)
    cache.insert(.solid(width: 5, height: 5), for: request("b"), additionalIdentifier: nil)
    #expect(cache.statistics.entries == 2)

    clock.advance(by: 2)
    #expect(cache.statistics.entries == 1 && cache.statistics.evictionsByReason == [.age: 1])
    clock.advance(by: 5)
    #expect(cache.statistics.entries == 0)

    for name in ["a", "b", "c", "d", "e"] {
      cache.insert(.solid(width: 5, height: 5), for: request(name), additionalIdentifier: nil)
    }
    #expect(cache.usage <= 400)
    cache.capacity = 0
    #expect(cache.statistics.entries == 0)
    cache.capacity = 400
    cache.insert(.solid(width: 5, height: 5), for: request("f"), additionalIdentifier: nil)
    cache.timeToLive = 0
    #expect(cache.statistics.entries == 0)
  }
}
