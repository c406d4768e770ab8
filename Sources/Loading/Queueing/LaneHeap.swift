/// Lanes in the order of their next downloads: a binary heap with an index. Finding the first lane is O(1), changes are
/// O(log n).
struct LaneHeap {
  typealias Lane = DownloadQueue.Lane
  typealias Head = WaitingList<FetchID>.Head

  /// Setting the order sorts all lanes again.
  var order: Prioritization {
    didSet { if order != oldValue { sortAgain() } }
  }
  private var entries: [(lane: Lane, head: Head)] = []
  private var indices: [Lane: Int] = [:]

  init(order: Prioritization) { self.order = order }

  /// The lane whose next download comes first.
  var first: (lane: Lane, head: Head)? { entries.first }

  /// Inserts or moves a lane according to its next download, or removes the lane if `head` is nil.
  mutating func set(_ head: Head?, for lane: Lane) {
    guard let head else { return remove(lane) }
    if let index = indices[lane] {
      entries[index].head = head
      sift(index)
    } else {
      entries.append((lane, head))
      indices[lane] = entries.count - 1
      sift(entries.count - 1)
    }
  }

  private mutating func remove(_ lane: Lane) {
    guard let index = indices.removeValue(forKey: lane) else { return }
    let last = entries.removeLast()
    if index < entries.count {
      entries[index] = last
      indices[last.lane] = index
      sift(index)
    }
    // An emptied dictionary would keep its storage.
    if entries.isEmpty { (entries, indices) = ([], [:]) }
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
    while let child = [2 * index + 1, 2 * index + 2].filter({ $0 < entries.count }).min(by: {
      goes($0, before: $1)
    }),
      goes(child, before: index)
    {
      swap(index, child)
      index = child
    }
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
