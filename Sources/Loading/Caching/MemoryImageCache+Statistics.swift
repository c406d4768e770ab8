extension MemoryImageCache {
  /// The reason for an eviction.
  public enum EvictionReason: Hashable, Sendable, CaseIterable {
    /// The usage exceeded `capacity`.
    case capacity
    /// The number of images exceeded `countLimit`.
    case count
    /// The image was older than `timeToLive`.
    case age
    /// The application called `purge(to:)`, the shared memory budget was exceeded, or memory was short.
    case pressure
  }

  /// The counters of a cache since the cache was created, and the current contents.
  public struct Statistics: Hashable, Sendable {
    /// The number of lookups that found an image.
    public internal(set) var hits = 0
    /// The number of lookups that found no image, or only a weak reference to an evicted image.
    public internal(set) var misses = 0
    /// The number of images that were stored, including replacements.
    public internal(set) var inserts = 0
    /// The number of images that were not stored: images above `entryCostLimit`, and all images if `timeToLive` is 0.
    public internal(set) var refusals = 0
    /// The number of evicted images by reason. Replaced and removed images do not count.
    public internal(set) var evictionsByReason: [EvictionReason: Int] = [:]
    /// The number of images in the cache; each size of an image counts.
    public internal(set) var entries = 0
    /// The number of bytes of pixels in the cache.
    public internal(set) var cost = 0

    /// Creates statistics in which all counters are 0.
    package init() {}

    /// The number of evicted images for all reasons together.
    public var evictions: Int { evictionsByReason.values.reduce(0, +) }

    mutating func count(_ evictions: Int, _ reason: EvictionReason) {
      if evictions > 0 { evictionsByReason[reason, default: 0] += evictions }
    }
  }
}
