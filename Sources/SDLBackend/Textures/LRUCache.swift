/// Values by key within a budget of bytes; those used longest ago go first. O(1) for each operation.
nonisolated struct LRUCache<Key: Hashable, Value> {
  private struct Node {
    let key: Key
    var value: Value
    var cost: Int
    /// Frame of the last use; see `insert`.
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

  /// The value, which counts as used at `stamp`.
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

  /// Whether values used before `stamp` leave enough room for so many bytes.
  func hasRoom(for bytes: Int, stamp: Int) -> Bool {
    var available = limit - cost
    var candidate = oldest
    while available < bytes, let slot = candidate, let node = slots[slot], node.stamp < stamp {
      available += node.cost
      candidate = node.newer
    }
    return available >= bytes
  }

  /// Keeps a value and lets older ones go, but none that was used at `stamp`: what one frame shows must not
  /// push itself out. Returns the keys that had to go; the value's own key if there was no room for it.
  @discardableResult
  mutating func insert(_ value: Value, for key: Key, cost bytes: Int, stamp: Int) -> [Key] {
    remove(key)
    guard hasRoom(for: bytes, stamp: stamp) else { return [key] }
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

  /// Removes values of a sum of `bytes`, those used longest ago first, but none that was used at `stamp` or that
  /// `isKept`. Returns their keys. O(values) where many are kept.
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
