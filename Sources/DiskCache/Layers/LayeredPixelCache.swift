package import VitrineGraphics
import Synchronization
package import VitrineLoading

/// A writable cache of decoded pixels over caches that are only read, such as that of a seed.
///
/// Pixels belong to a body, so that pixels of a lower layer are right wherever the stored response has this body: a
/// response that was removed or replaced hides its pixels in all layers. Removed pixels of a lower layer stay hidden
/// until the end of the process.
package final class LayeredPixelCache: ImagePixelCache {
  /// Returns `top` over the pixels of the seeds in which `responses` looks up images; `top` itself if there are none, or
  /// if the policy is `.concurrent`: pixels are looked up in one layer after another, and a seed that does not respond
  /// would delay images of other layers. Does not access the disk.
  package static func cache(
    _ top: any ImagePixelCache, with responses: (any ImageDataCache)?
  ) -> any ImagePixelCache {
    guard let responses = responses as? LayeredImageCache, responses.policies.lookups != .concurrent
    else { return top }
    let layers = responses.policies.lookups.layers(of: responses.layers.count).map { responses.layers[$0] }
    let seeds = layers.compactMap { $0 as? DiskImageCache }.filter(\.isReadOnly).map(\.directory)
    // A program without a writable cache may have a seed on top.
    let others = seeds.filter { $0 != (top as? DiskPixelCache)?.directory }
    return others.isEmpty ? top : LayeredPixelCache(top, over: others.map { DiskPixelCache(seed: $0) })
  }

  private struct Hidden {
    private var identities: Set<RequestIdentity> = []
    private var isAll = false

    func contains(_ identity: RequestIdentity) -> Bool { isAll || identities.contains(identity) }

    mutating func insert(_ identity: RequestIdentity) {
      guard !isAll else { return }
      identities.insert(identity)
      if identities.count > LayeredPixelCache.maximumHidden { insertAll() }
    }

    mutating func insertAll() { (identities, isAll) = ([], true) }
  }

  /// The number of requests whose pixels are hidden one by one. After more removals, all pixels of the lower layers are
  /// hidden, so that a program that runs for years does not remember every removal.
  package static let maximumHidden = 10_000

  private let top: any ImagePixelCache
  private let lower: [any ImagePixelCache]
  private let hidden = Mutex(Hidden())

  /// - Parameter lower: The caches below `top`, the upper one first. Nothing is stored in them or removed from them.
  package init(_ top: any ImagePixelCache, over lower: [any ImagePixelCache]) {
    self.top = top
    self.lower = lower
  }

  package var byteLimit: Int { top.byteLimit }

  package var readSpeed: Double { top.readSpeed }

  package func pixels(
    for key: PixelKey, of body: BodyDigest, reserving reserve: (_ bytes: Int) -> Void
  ) -> StoredPixels? {
    if let pixels = top.pixels(for: key, of: body, reserving: reserve) { return pixels }
    guard !hidden.withLock({ $0.contains(key.identity) }) else { return nil }
    for cache in lower {
      if let pixels = cache.pixels(for: key, of: body, reserving: reserve) { return pixels }
    }
    return nil
  }

  /// Returns the pixels of the first layer that has some.
  package func smallerPixels(
    for key: PixelKey, of body: BodyDigest, maximumCount: Int, reserving reserve: (_ bytes: Int) -> Void
  ) -> StoredPixels? {
    let isHidden = hidden.withLock { $0.contains(key.identity) }
    for cache in [top] + (isHidden ? [] : lower) {
      let pixels = cache.smallerPixels(for: key, of: body, maximumCount: maximumCount, reserving: reserve)
      if let pixels { return pixels }
    }
    return nil
  }

  @discardableResult
  package func store(_ image: Image, isAnimated: Bool, for key: PixelKey, of body: BodyDigest) -> Bool {
    top.store(image, isAnimated: isAnimated, for: key, of: body)
  }

  package func removePixels(of identity: RequestIdentity) {
    top.removePixels(of: identity)
    hidden.withLock { $0.insert(identity) }
  }

  package func removeAllPixels() {
    top.removeAllPixels()
    hidden.withLock { $0.insertAll() }
  }
}
