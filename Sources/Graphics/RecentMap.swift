/// A dictionary that knows the order in which its entries were inserted or used, for memories and caches that drop
/// their oldest entries. Operations are O(1).
///
/// The order is a circular list in an array. An index in `indices` always leads to a node with an entry, which is why
/// `use` and `insert` unwrap entries without a check. The map is inlinable because the renderer looks up each image of
/// a frame.
@usableFromInline
package struct RecentMap<Key: Hashable, Value> {
  @usableFromInline struct Node {
    /// `nil` for the sentinel and for unused nodes.
    @usableFromInline var entry: (key: Key, value: Value)?
    @usableFromInline var newer = 0
    @usableFromInline var older = 0

    @usableFromInline init(entry: (key: Key, value: Value)?) { self.entry = entry }
  }

  /// The nodes. The first one is the sentinel: its `older` is the newest entry, and its `newer` is the oldest.
  @usableFromInline var nodes = [Node(entry: nil)]
  @usableFromInline var unused: [Int] = []
  @usableFromInline var indices: [Key: Int] = [:]

  @inlinable package init() {}

  @inlinable package var count: Int { indices.count }

  @inlinable package var isEmpty: Bool { indices.isEmpty }

  /// The value of a key; `nil` if there is none. Does not change the order.
  @inlinable package subscript(key: Key) -> Value? {
    guard !indices.isEmpty, let index = indices[key] else { return nil }
    return nodes[index].entry?.value
  }

  /// The entry that was inserted or used longest ago.
  @inlinable package var oldest: (key: Key, value: Value)? { nodes[nodes[0].newer].entry }

  /// The entries from the oldest to the newest.
  @inlinable package var oldestFirst: some Sequence<(key: Key, value: Value)> {
    sequence(state: nodes[0].newer) { index in
      guard let entry = nodes[index].entry else { return nil }
      index = nodes[index].newer
      return entry
    }
  }

  /// Makes the entry of a key the newest, and returns the result of `body`, which may change the value. Returns `nil`
  /// if there is no entry.
  @inlinable package mutating func use<Result>(_ key: Key, _ body: (inout Value) -> Result) -> Result? {
    guard let index = indices[key] else { return nil }
    moveToNewest(index)
    return body(&nodes[index].entry!.value)
  }

  /// Inserts a value as the newest, in place of an earlier value of the key.
  @inlinable package mutating func insert(_ value: Value, for key: Key) {
    if let index = indices[key] {
      nodes[index].entry!.value = value
      moveToNewest(index)
      return
    }
    let index = unused.popLast() ?? nodes.count
    if index == nodes.count {
      nodes.append(Node(entry: (key, value)))
    } else {
      nodes[index].entry = (key, value)
    }
    indices[key] = index
    linkAsNewest(index)
  }

  /// Removes and returns the value of a key.
  @inlinable @discardableResult package mutating func remove(_ key: Key) -> Value? {
    guard let index = indices.removeValue(forKey: key) else { return nil }
    unlink(index)
    unused.append(index)
    let value = nodes[index].entry?.value
    nodes[index].entry = nil
    return value
  }

  /// Removes and returns the oldest entry.
  @inlinable @discardableResult package mutating func removeOldest() -> (key: Key, value: Value)? {
    guard let oldest else { return nil }
    remove(oldest.key)
    return oldest
  }

  @inlinable package mutating func removeAll() { self = RecentMap() }

  @inlinable mutating func moveToNewest(_ index: Int) {
    guard nodes[0].older != index else { return }
    unlink(index)
    linkAsNewest(index)
  }

  @inlinable mutating func linkAsNewest(_ index: Int) {
    let newest = nodes[0].older
    nodes[index].newer = 0
    nodes[index].older = newest
    nodes[newest].newer = index
    nodes[0].older = index
  }

  @inlinable mutating func unlink(_ index: Int) {
    let (newer, older) = (nodes[index].newer, nodes[index].older)
    nodes[newer].older = older
    nodes[older].newer = newer
  }
}

extension RecentMap: Sendable where Key: Sendable, Value: Sendable {}
extension RecentMap.Node: Sendable where Key: Sendable, Value: Sendable {}
