import Synchronization
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineDiskCache
@testable import VitrineLoading

/// Decoded pixels over those of a seed.
struct LayeredPixelCacheTests {
  private let top = FakePixelCache()
  private let seed = FakePixelCache()

  private let key = PixelKey(identity: identity(1), variant: "64x48")
  private let body = BodyDigest(high: 1, low: 2)

  private func image(_ width: Int) throws -> Image {
    try FakeDecoder().decode(FakeDecoder.encodedImage(width: width, height: 4), options: .init())
  }

  @Test func pixelsOfTheTopLayerHideThoseBelow() throws {
    let cache = LayeredPixelCache(top, over: [seed])
    let (upper, lower) = (try image(8), try image(16))
    seed.store(lower, isAnimated: true, for: key, of: body)

    let below = cache.pixels(for: key, of: body) { _ in
    }
    #expect(below?.image.pixelWidth == 16 && below?.isAnimated == true)
    #expect(cache.store(upper, isAnimated: false, for: key, of: body))

    let above = cache.pixels(for: key, of: body) { _ in
    }
    #expect(above?.image.pixelWidth == 8 && above?.isAnimated == false)
    #expect(seed.count == 1 && top.count == 1)
    #expect(cache.byteLimit == top.byteLimit)
  }

  @Test func pixelsOfAnotherBodyAreNotFound() throws {
    let cache = LayeredPixelCache(top, over: [seed])
    seed.store(try image(8), isAnimated: false, for: key, of: body)

    #expect(cache.pixels(for: key, of: BodyDigest(high: 1, low: 3)) { _ in } == nil)
    #expect(cache.pixels(for: PixelKey(identity: identity(1), variant: "1x1"), of: body) { _ in } == nil)
  }

  @Test func smallerSizesAreFoundInTheFirstLayerThatHasOne() throws {
    let cache = LayeredPixelCache(top, over: [seed])
    let sizes = ["8x4", "16x4", "90x90"].map {
      PixelKey(identity: identity(1), variant: "-;-;\($0.utf8.count):\($0);")
    }
    func found() -> Int? {
      cache.smallerPixels(for: sizes[2], of: body, maximumCount: 100) { _ in }?.image.pixelWidth
    }
    #expect(found() == nil)

    seed.store(try image(16), isAnimated: false, for: sizes[1], of: body)
    #expect(found() == 16)
    top.store(try image(8), isAnimated: false, for: sizes[0], of: body)
    #expect(found() == 8)
    cache.removePixels(of: identity(1))

    #expect(found() == nil)
  }

  @Test func removedPixelsOfALowerLayerStayHidden() throws {
    let cache = LayeredPixelCache(top, over: [seed])
    let other = PixelKey(identity: identity(2), variant: "64x48")
    for key in [key, other] { seed.store(try image(8), isAnimated: false, for: key, of: body) }

    cache.removePixels(of: identity(1))
    #expect(cache.pixels(for: key, of: body) { _ in } == nil)
    #expect(cache.pixels(for: other, of: body) { _ in } != nil)

    cache.removeAllPixels()
    cache.removePixels(of: identity(2))
    #expect(cache.pixels(for: other, of: body) { _ in } == nil)
    #expect(seed.count == 2, "nothing is removed from the seed")
    cache.store(try image(8), isAnimated: false, for: key, of: body)
    #expect(cache.pixels(for: key, of: body) { _ in } != nil)
  }
}

extension LayeredPixelCacheTests {
  @Test func manyRemovalsHideAllPixelsOfALowerLayer() throws {
    let cache = LayeredPixelCache(top, over: [seed])
    seed.store(try image(8), isAnimated: false, for: key, of: body)
    let last = LayeredPixelCache.maximumHidden + 2
    for number in 2..<last { cache.removePixels(of: identity(number)) }
    #expect(cache.pixels(for: key, of: body) { _ in } != nil)

    cache.removePixels(of: identity(last))

    #expect(cache.pixels(for: key, of: body) { _ in } == nil)
    #expect(try cache.store(image(8), isAnimated: false, for: key, of: body))
    #expect(cache.pixels(for: key, of: body) { _ in } != nil, "the writable layer is not hidden")
  }
}

/// Pixels in memory.
private final class FakePixelCache: ImagePixelCache {
  private struct Key: Hashable {
    let key: PixelKey
    let body: BodyDigest
  }

  private let pixels = Mutex<[Key: StoredPixels]>([:])

  var count: Int { pixels.withLock { $0.count } }
  let byteLimit = 1000

  func pixels(
    for key: PixelKey, of body: BodyDigest, reserving reserve: (_ bytes: Int) -> Void
  ) -> StoredPixels? {
    let found = pixels.withLock { $0[Key(key: key, body: body)] }
    if let found { reserve(found.image.cost) }
    return found
  }

  func smallerPixels(
    for key: PixelKey, of body: BodyDigest, maximumCount: Int, reserving reserve: (_ bytes: Int) -> Void
  ) -> StoredPixels? {
    let found = pixels.withLock { pixels in
      pixels.first { $0.key.key != key && $0.key.key.family == key.family && $0.key.body == body }
    }
    return found?.value
  }

  @discardableResult
  func store(_ image: Image, isAnimated: Bool, for key: PixelKey, of body: BodyDigest) -> Bool {
    pixels.withLock { $0[Key(key: key, body: body)] = StoredPixels(image: image, isAnimated: isAnimated) }
    return true
  }

  func removePixels(of identity: RequestIdentity) {
    pixels.withLock { $0 = $0.filter { $0.key.key.identity != identity } }
  }

  func removeAllPixels() { pixels.withLock { $0 = [:] } }
}
