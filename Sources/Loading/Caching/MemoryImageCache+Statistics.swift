extension MemoryImageCache {
  /// Why an image had to go.
  public enum EvictionReason: Hashable, Sendable, CaseIterable {
    /// The usage was above the capacity.
    case capacity
    /// There were more images than `countLimit`.
    case count
    /// It was older than `timeToLive`.
    case age
    /// `purge(to:)`, a budget that is shared with others, or a shortage of memory.
    case pressure
  }

  /// What a cache has done so far, and what it holds.
  public struct Statistics: Hashable, Sendable {
    /// Lookups that found an image.
    public internal(set) var hits = 0
    /// Lookups that did not.
    public internal(set) var misses = 0
    /// Images that were put in, replaced ones included.
    public internal(set) var inserts = 0
    /// Images that were not kept, as they are larger than `entryCostLimit`, or live no time at all.
    public internal(set) var refusals = 0
    /// Images that had to go, by reason; not those replaced or removed.
    public internal(set) var evictionsByReason: [EvictionReason: Int] = [:]
    /// Images held, each size counted.
    public internal(set) var entries = 0
    /// Bytes of their pixels.
    public internal(set) var cost = 0

    /// Nothing done, nothing held.
    public init() {}

    /// Images that had to go, for whatever reason.
    public var evictions: Int { evictionsByReason.values.reduce(0, +) }

    mutating func count(_ evictions: Int, _ reason: EvictionReason) {
      if evictions > 0 { evictionsByReason[reason, default: 0] += evictions }
    }
  }
}
