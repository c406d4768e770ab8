import Synchronization
import Testing
import VitrineTesting

@testable import VitrineDiskCache
@testable import VitrineLoading

/// Heads of layered caches, and their updates by a 304.
struct LayeredHeadTests {
  private let top = HeadCache()
  private let seed = HeadCache()

  private func cache() -> LayeredImageCache { LayeredImageCache(layers: [top, seed]) }

  private func later(_ response: StoredResponse) -> StoredResponse {
    var later = response
    later.body = []
    later.received += 3600
    return later
  }

  @Test func headOfTheUpperLayerComesFirst() throws {
    seed.store(storedResponse(seed: 1), for: identity(1))
    let below = try #require(cache().head(for: identity(1)))
    #expect(below.bodyLength == 100 && below.body == HeadCache.digest(storedResponse(seed: 1).body))

    top.store(storedResponse(50, seed: 2), for: identity(1))

    #expect(cache().head(for: identity(1))?.bodyLength == 50)
    #expect(cache().head(for: identity(2)) == nil)
    #expect(cache().digest(of: [1, 2]) == HeadCache.digest([1, 2]))
  }

  @Test func updateOfASeedStoresTheBodyInTheTopLayer() {
    let old = storedResponse(seed: 1)
    seed.store(old, for: identity(1))
    let cache = cache()

    #expect(cache.update(later(old), of: HeadCache.digest(old.body), for: identity(1)))

    var expected = later(old)
    expected.body = old.body
    #expect(top.response(for: identity(1)) == expected)
    #expect(seed.response(for: identity(1)) == old)
    // The next update changes the head only.
    #expect(cache.update(later(expected), of: HeadCache.digest(old.body), for: identity(1)))
    #expect(top.storeCount == 1)
  }

  @Test func updateOfAnotherBodyIsRefused() {
    seed.store(storedResponse(seed: 1), for: identity(1))
    let cache = cache()
    let other = HeadCache.digest([9])
    #expect(!cache.update(later(storedResponse()), of: other, for: identity(1)))
    #expect(!cache.update(later(storedResponse()), of: other, for: identity(2)))

    // A newer body of the top layer is not replaced by that of the seed.
    top.store(storedResponse(seed: 2), for: identity(1))
    let seedBody = HeadCache.digest(storedResponse(seed: 1).body)
    #expect(!cache.update(later(storedResponse(seed: 1)), of: seedBody, for: identity(1)))
    #expect(top.response(for: identity(1)) == storedResponse(seed: 2))
  }

  @Test func hiddenHeadIsNotFound() {
    seed.store(storedResponse(seed: 1), for: identity(1))
    seed.isReadOnly = true
    let cache = cache()

    #expect(cache.removeResponse(for: identity(1)))

    #expect(cache.head(for: identity(1)) == nil)
    let body = HeadCache.digest(storedResponse(seed: 1).body)
    #expect(!cache.update(later(storedResponse(seed: 1)), of: body, for: identity(1)))
  }
}

/// A cache in memory that has heads.
private final class HeadCache: ImageDataCache {
  private let inner = MemoryDataCache()
  private let readOnly = Mutex(false)

  var isReadOnly: Bool {
    get { readOnly.withLock { $0 } }
    set { readOnly.withLock { $0 = newValue } }
  }
  var storeCount: Int { inner.storeCount }

  static func digest(_ body: [UInt8]) -> BodyDigest {
    let hash = ContentHash(body)
    return BodyDigest(high: hash.high, low: hash.low)
  }

  func response(for identity: RequestIdentity) -> StoredResponse? { inner.response(for: identity) }

  @discardableResult
  func store(_ response: StoredResponse, for identity: RequestIdentity) -> Bool {
    !isReadOnly && inner.store(response, for: identity)
  }

  @discardableResult
  func removeResponse(for identity: RequestIdentity) -> Bool {
    !isReadOnly && inner.removeResponse(for: identity)
  }

  @discardableResult
  func removeAllResponses() -> Bool { !isReadOnly && inner.removeAllResponses() }

  func containsResponse(for identity: RequestIdentity) -> Bool { inner.containsResponse(for: identity) }

  func head(for identity: RequestIdentity) -> StoredHead? {
    guard var response = inner.response(for: identity) else { return nil }
    let body = response.body
    response.body = []
    return StoredHead(response: response, bodyLength: body.count, body: Self.digest(body))
  }

  @discardableResult
  func update(_ head: StoredResponse, of body: BodyDigest, for identity: RequestIdentity) -> Bool {
    guard let old = inner.response(for: identity), Self.digest(old.body) == body else { return false }
    inner.change(identity) { response in
      response = head
      response.body = old.body
    }
    return true
  }

  func digest(of body: [UInt8]) -> BodyDigest? { Self.digest(body) }
}
