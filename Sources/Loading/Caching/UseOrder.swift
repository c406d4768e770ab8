/// Places in the order of their last use, in two segments: a segmented LRU.
///
/// What comes in is on probation; what is used again is protected, and goes after all that is on probation. A
/// scan of a thousand pictures that are seen once therefore passes by what is used now and then. The protected
/// segment is bounded, and what it has no room for is on probation again as if it were new, so that nothing
/// stays for ever because it was used once.
struct UseOrder {
  /// Of what may be held, the share that is protected: as in the segmented LRU of Karedla, Love and Wherry, and
  /// in Caffeine.
  static let protectedShare = (numerator: 4, denominator: 5)

  private struct Link {
    var newer: Int32
    var older: Int32
  }

  /// The ends of the two rings come first: the newest place is the one older than its end, and so on.
  private static let probation = 0
  private static let protected = 1
  /// Apart from what else is known of a place, and small: a use changes four of them, anywhere in memory.
  private var links = (0..<2).map { Link(newer: Int32($0), older: Int32($0)) }
  private var costs = [0, 0]
  private var isProtected = [false, false]
  private var protectedCost = 0
  private var protectedCount = 0

  /// Bounds of the protected segment. They hold with the next use.
  var protectedCostLimit = Int.max
  var protectedCountLimit = Int.max

  /// Sum of the costs, and how many there are.
  private(set) var cost = 0
  private(set) var count = 0

  /// Puts a place, which may be one beyond those there were, in as the newest on probation.
  mutating func append(_ place: Int, cost: Int) {
    let node = place + 2
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

  /// A place has been used: it is the newest of those that are protected.
  mutating func use(_ place: Int) {
    let node = place + 2
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

  /// A place is not to go yet, whatever the bounds of the protected segment are.
  mutating func spare(_ place: Int) { protect(place + 2) }

  mutating func remove(_ place: Int) {
    let node = place + 2
    unlink(node)
    cost -= costs[node]
    count -= 1
    guard isProtected[node] else { return }
    protectedCost -= costs[node]
    protectedCount -= 1
  }

  /// The place that goes first; `kept` goes last. Nil where there is none.
  func first(keeping kept: Int?) -> Int? {
    var node = Int(links[Self.probation].newer)
    if let kept, node == kept + 2 { node = Int(links[node].newer) }
    if node == Self.probation { node = Int(links[Self.protected].newer) }
    if let kept, node == kept + 2 { node = Int(links[node].newer) }
    return node > Self.protected ? node - 2 : count > 0 ? kept : nil
  }

  private mutating func protect(_ node: Int) {
    unlink(node)
    if !isProtected[node] {
      isProtected[node] = true
      protectedCost += costs[node]
      protectedCount += 1
    }
    link(node, Self.protected)
  }

  private mutating func link(_ node: Int, _ end: Int) {
    let newest = Int(links[end].older)
    links[node].newer = Int32(end)
    links[node].older = Int32(newest)
    links[newest].newer = Int32(node)
    links[end].older = Int32(node)
  }

  private mutating func unlink(_ node: Int) {
    let (newer, older) = (links[node].newer, links[node].older)
    links[Int(newer)].older = older
    links[Int(older)].newer = newer
  }
}
