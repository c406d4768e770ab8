import VitrineConcurrency

/// Lanes in the order of their next downloads: a binary heap with an index. Finding the first lane is O(1), changes are
/// O(log n). Lanes are given by their numbers in a `LaneTable`.
struct LaneHeap {
  typealias Head = WaitingList<FetchID>.Head

  /// Setting the order sorts all lanes again.
  var order: Prioritization { didSet { if order != oldValue { sortAgain() } } }
  private var entries: [(lane: Int, head: Head)] = []
  /// The index of each lane among the entries, by the lane's number; -1 for a lane without one.
  private var indices: [Int] = []

  init(order: Prioritization) { self.order = order }

  /// The lane whose next download comes first.
  var first: (lane: Int, head: Head)? { entries.first }

  /// Inserts or moves a lane according to the next download, or removes the lane if `head` is nil.
  mutating func set(_ head: Head?, for lane: Int) {
    guard let head else { return remove(lane) }
    while indices.count <= lane { indices.append(-1) }
    let index = indices[lane]
    if index >= 0 {
      entries[index].head = head
      sift(index)
    } else {
      entries.append((lane, head))
      indices[lane] = entries.count - 1
      sift(entries.count - 1)
    }
  }

  private mutating func remove(_ lane: Int) {
    guard indices.indices.contains(lane), case let index = indices[lane], index >= 0 else { return }
    indices[lane] = -1
    let last = entries.removeLast()
    if index < entries.count {
      entries[index] = last
      indices[last.lane] = index
      sift(index)
    }
    // Emptied arrays would keep their storage.
    if entries.isEmpty, indices.count > 16 { (entries, indices) = ([], []) }
  }

  private mutating func sortAgain() {
    entries.sort { $0.head.goes(before: $1.head, in: order) }
    for (index, entry) in entries.enumerated() { indices[entry.lane] = index }
  }

  /// Moves an entry up or down until the heap is ordered.
  private mutating func sift(_ start: Int) {
    var index = start
    while index > 0, goes(index, before: (index - 1) / 2) {
      swap(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
    while let child = firstChild(of: index), goes(child, before: index) {
      swap(index, child)
      index = child
    }
  }

  /// The child that goes before the other child.
  private func firstChild(of index: Int) -> Int? {
    let (left, right) = (2 * index + 1, 2 * index + 2)
    guard right < entries.count else { return left < entries.count ? left : nil }
    return goes(right, before: left) ? right : left
  }

  private func goes(_ a: Int, before b: Int) -> Bool {
    entries[a].head.goes(before: entries[b].head, in: order)
  }

  private mutating func swap(_ a: Int, _ b: Int) {
    entries.swapAt(a, b)
    indices[entries[a].lane] = a
    indices[entries[b].lane] = b
  }
}
