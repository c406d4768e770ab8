/// The order of eviction of a cache: a segmented LRU of integer indices.
///
/// A new index is on probation. An index that is used again is protected, and is evicted after all indices on
/// probation. A scan of a thousand images that are seen once therefore does not evict images that are used now and
/// then. The protected segment is bounded: the least recently used indices beyond its limits return to probation as if
/// they were new, so that no index stays for ever because of a single use.
///
/// Uses are collected, and change the lists together before the order is read or changed otherwise. A use changes links
/// at scattered addresses, and the processor waits for the memory of several uses at once, but not for that of several
/// cache hits, between which there are locks.
struct UseOrder {
  /// The fraction of the limits that the protected segment may take: four fifths, as in the segmented LRU of Karedla,
  /// Love and Wherry, and in Caffeine.
  static let protectedFraction = (numerator: 4, denominator: 5)

  private struct Link {
    var newer, older: Int32
  }

  /// The sentinels of the two segments, which are circular lists. The first two nodes are the sentinels: `older` of a
  /// sentinel is the newest node of the list, `newer` is the oldest.
  private static let probation = 0
  private static let protected = 1
  /// The links of each node; the node of an index is the index plus 2. The links are small and separate from the other
  /// data, because a use changes four links at scattered addresses.
  private var links = (0..<2).map { Link(newer: Int32($0), older: Int32($0)) }
  private var costs = [0, 0]
  private var isProtected = [false, false]
  private var protectedCost = 0
  private var protectedCount = 0

  /// The number of uses that are collected: few enough that a cache hit which applies all of them takes about as long as
  /// a system call.
  private static let collectedUses = 32
  /// The nodes of the collected uses, oldest first, in the first `useCount` elements.
  private var uses = [Int32](repeating: 0, count: Self.collectedUses)
  private var useCount = 0

  /// The maximum cost of the protected segment in bytes. A change takes effect at the next use.
  var protectedCostLimit = Int.max
  /// The maximum number of indices in the protected segment. A change takes effect at the next use.
  var protectedCountLimit = Int.max

  /// The sum of the costs of all indices in bytes.
  private(set) var cost = 0
  private(set) var count = 0

  /// Adds an index as the newest on probation. The index may be at most one beyond the largest index so far.
  mutating func append(_ index: Int, cost: Int) {
    applyUses()
    let node = index + 2
    if node == links.count {
      links.append(Link(newer: 0, older: 0))
      costs.append(0)
      isProtected.append(false)
    }
    costs[node] = cost
    isProtected[node] = false
    self.cost += cost
    count += 1
    link(node, Self.probation)
  }

  /// Moves an index to the newest position of the protected segment, and returns the oldest indices beyond the
  /// segment's limits to probation. Inlined, because each memory hit is a use.
  @inline(__always)
  mutating func use(_ index: Int) {
    uses[useCount] = Int32(truncatingIfNeeded: index + 2)
    useCount += 1
    if useCount == Self.collectedUses { applyUses() }
  }

  private mutating func applyUses() {
    for number in 0..<useCount { apply(Int(uses[number])) }
    useCount = 0
  }

  private mutating func apply(_ node: Int) {
    guard links[Self.protected].older != node else { return }
    protect(node)
    while protectedCost > protectedCostLimit || protectedCount > protectedCountLimit,
      case let oldest = Int(links[Self.protected].newer), oldest != node
    {
      unlink(oldest)
      isProtected[oldest] = false
      protectedCost -= costs[oldest]
      protectedCount -= 1
      link(oldest, Self.probation)
    }
  }

  /// Moves an index to the newest position of the protected segment regardless of the segment's limits, to postpone the
  /// eviction.
  mutating func spare(_ index: Int) {
    applyUses()
    protect(index + 2)
  }

  mutating func remove(_ index: Int) {
    applyUses()
    let node = index + 2
    unlink(node)
    cost -= costs[node]
    count -= 1
    guard isProtected[node] else { return }
    protectedCost -= costs[node]
    protectedCount -= 1
  }

  /// Returns the index to evict first; `keptIndex` only if there is no other index. Nil if there are no indices.
  mutating func first(keeping keptIndex: Int?) -> Int? {
    applyUses()
    var node = Int(links[Self.probation].newer)
    if let keptIndex, node == keptIndex + 2 { node = Int(links[node].newer) }
    if node == Self.probation { node = Int(links[Self.protected].newer) }
    if let keptIndex, node == keptIndex + 2 { node = Int(links[node].newer) }
    return node > Self.protected ? node - 2 : count > 0 ? keptIndex : nil
  }

  @inline(__always)
  private mutating func protect(_ node: Int) {
    unlink(node)
    if !isProtected[node] {
      isProtected[node] = true
      protectedCost += costs[node]
      protectedCount += 1
    }
    link(node, Self.protected)
  }

  @inline(__always)
  private mutating func link(_ node: Int, _ end: Int) {
    let newest = Int(links[end].older)
    links[node].newer = Int32(end)
    links[node].older = Int32(newest)
    links[newest].newer = Int32(node)
    links[end].older = Int32(node)
  }

  @inline(__always)
  private mutating func unlink(_ node: Int) {
    let (newer, older) = (links[node].newer, links[node].older)
    links[Int(newer)].older = older
    links[Int(older)].newer = newer
  }
}
