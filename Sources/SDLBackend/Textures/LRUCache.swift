import VitrineGraphics

/// A cache with a cost limit in bytes that evicts the least recently used values first. Operations are O(1) unless they
/// say otherwise.
struct LRUCache<Key: Hashable, Value> {
  private struct Entry {
    let value: Value
    let cost: Int
    /// The frame of the last use.
    var stamp: Int
  }

  let limit: Int
  private(set) var cost = 0
  private var entries = RecentMap<Key, Entry>()

  init(limit: Int) { self.limit = limit }

  var count: Int { entries.count }

  /// Returns the value of a key. The value becomes the most recently used value, with `stamp` as its last use.
  mutating func value(for key: Key, stamp: Int) -> Value? {
    entries.use(key) { entry in
      entry.stamp = stamp
      return entry.value
    }
  }

  /// Returns true if `bytes` fit in the cache after evicting values that were last used before `stamp`. O(values to be
  /// evicted).
  func hasSpace(for bytes: Int, stamp: Int) -> Bool {
    var available = limit - cost
    guard available < bytes else { return true }
    for (_, entry) in entries.oldestFirst {
      guard available < bytes, entry.stamp < stamp else { break }
      available += entry.cost
    }
    return available >= bytes
  }

  /// Inserts a value and evicts the least recently used values, except those used at `stamp`: a frame must not evict
  /// textures that it shows itself. Returns the evicted keys, or `key` itself if there was no room for the value.
  @discardableResult
  mutating func insert(_ value: Value, for key: Key, cost bytes: Int, stamp: Int) -> [Key] {
    remove(key)
    guard hasSpace(for: bytes, stamp: stamp) else { return [key] }
    var evicted: [Key] = []
    while cost + bytes > limit, let (key, entry) = entries.removeOldest() {
      cost -= entry.cost
      evicted.append(key)
    }
    entries.insert(Entry(value: value, cost: bytes, stamp: stamp), for: key)
    cost += bytes
    return evicted
  }

  mutating func remove(_ key: Key) { if let entry = entries.remove(key) { cost -= entry.cost } }

  /// Removes the least recently used values until `bytes` are free, except values used at `stamp` and values for which
  /// `isKept` returns true. Returns the removed keys. O(values) if many are kept.
  mutating func removeOldest(_ bytes: Int, stamp: Int, isKept: (Key) -> Bool) -> [Key] {
    var removed: [Key] = []
    var released = 0
    for (key, entry) in entries.oldestFirst {
      guard released < bytes, entry.stamp < stamp else { break }
      guard !isKept(key) else { continue }
      released += entry.cost
      removed.append(key)
    }
    for key in removed { remove(key) }
    return removed
  }

  mutating func removeAll() { self = LRUCache(limit: limit) }
}
