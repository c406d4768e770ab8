/// A cache with a cost limit in bytes that evicts the least recently used values first. Operations are O(1) unless they
/// say otherwise.
nonisolated struct LRUCache<Key: Hashable, Value> {
  private struct Node {
    let key: Key
    var value: Value
    var cost: Int
    /// The frame of the last use.
    var stamp: Int
    var newer: Int?
    var older: Int?
  }

  let limit: Int
  private(set) var cost = 0
  private var slots: [Node?] = []
  private var free: [Int] = []
  private var index: [Key: Int] = [:]
  private var newest: Int?
  private var oldest: Int?

  init(limit: Int) { self.limit = limit }

  var count: Int { index.count }

  /// Returns the value of a key. The value becomes the most recently used value, with `stamp` as its last use.
  mutating func value(for key: Key, stamp: Int) -> Value? {
    guard let slot = index[key], var node = slots[slot] else { return nil }
    unlink(slot)
    node.stamp = stamp
    node.newer = nil
    node.older = nil
    slots[slot] = node
    linkAsNewest(slot)
    return node.value
  }

  /// Returns true if `bytes` fit in the cache after evicting values that were last used before `stamp`. O(values to be
  /// evicted).
  func hasSpace(for bytes: Int, stamp: Int) -> Bool {
    var available = limit - cost
    var candidate = oldest
    while available < bytes, let slot = candidate, let node = slots[slot], node.stamp < stamp {
      available += node.cost
      candidate = node.newer
    }
    return available >= bytes
  }

  /// Inserts a value and evicts the least recently used values, except those used at `stamp`: a frame must not evict
  /// what the same frame shows. Returns the evicted keys, or `key` itself if there was no room for the value.
  @discardableResult
  mutating func insert(_ value: Value, for key: Key, cost bytes: Int, stamp: Int) -> [Key] {
    remove(key)
    guard hasSpace(for: bytes, stamp: stamp) else { return [key] }
    var evicted: [Key] = []
    while cost + bytes > limit, let slot = oldest, let node = slots[slot] {
      remove(node.key)
      evicted.append(node.key)
    }
    let node = Node(key: key, value: value, cost: bytes, stamp: stamp)
    let slot: Int
    if let reused = free.popLast() {
      slot = reused
      slots[slot] = node
    } else {
      slot = slots.count
      slots.append(node)
    }
    index[key] = slot
    cost += bytes
    linkAsNewest(slot)
    return evicted
  }

  mutating func remove(_ key: Key) {
    guard let slot = index.removeValue(forKey: key), let node = slots[slot] else { return }
    unlink(slot)
    cost -= node.cost
    slots[slot] = nil
    free.append(slot)
  }

  /// Removes the least recently used values until `bytes` are free, except values used at `stamp` and values for which
  /// `isKept` returns true. Returns the removed keys. O(values) if many are kept.
  mutating func removeOldest(_ bytes: Int, stamp: Int, isKept: (Key) -> Bool) -> [Key] {
    var removed: [Key] = []
    let goal = max(0, cost - max(0, bytes))
    var candidate = oldest
    while cost > goal, let slot = candidate, let node = slots[slot], node.stamp < stamp {
      candidate = node.newer
      guard !isKept(node.key) else { continue }
      remove(node.key)
      removed.append(node.key)
    }
    return removed
  }

  mutating func removeAll() { self = LRUCache(limit: limit) }

  private mutating func unlink(_ slot: Int) {
    guard let node = slots[slot] else { return }
    if let newer = node.newer { slots[newer]?.older = node.older } else { newest = node.older }
    if let older = node.older { slots[older]?.newer = node.newer } else { oldest = node.newer }
  }

  private mutating func linkAsNewest(_ slot: Int) {
    slots[slot]?.older = newest
    slots[slot]?.newer = nil
    if let newest { slots[newest]?.newer = slot } else { oldest = slot }
    newest = slot
  }
}
