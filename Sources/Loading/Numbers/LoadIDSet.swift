/// A set of numbers for the usual case of one element, which is stored in place: most fetches have one decode, one image
/// and one caller. Inserting, removing and counting are O(1).
struct LoadIDSet<Kind> {
  /// The element that was inserted while the set had none in place; `nil` after its removal.
  private(set) var first: LoadID<Kind>?
  private var others: Set<LoadID<Kind>> = []

  var isEmpty: Bool { first == nil && others.isEmpty }
  var count: Int { (first == nil ? 0 : 1) + others.count }
  /// True if there are elements besides `first`.
  var hasOthers: Bool { !others.isEmpty }

  mutating func insert(_ id: LoadID<Kind>) {
    guard first != id else { return }
    if first == nil, others.isEmpty { first = id } else { others.insert(id) }
  }

  mutating func remove(_ id: LoadID<Kind>) {
    if first == id { first = nil } else if !others.isEmpty { others.remove(id) }
  }

}

extension LoadIDSet: Sequence {
  struct Iterator: IteratorProtocol {
    fileprivate var only: LoadID<Kind>?
    fileprivate var all: Array<LoadID<Kind>>.Iterator

    mutating func next() -> LoadID<Kind>? { only.take() ?? all.next() }
  }

  /// Returns an iterator over the elements in ascending order. O(n log n); O(1) and without an allocation for one element.
  func makeIterator() -> Iterator {
    if others.isEmpty { return Iterator(only: first, all: [].makeIterator()) }
    let all = first.map { [$0] + others } ?? Array(others)
    return Iterator(only: nil, all: all.sorted().makeIterator())
  }
}

extension LoadIDSet: Sendable {}
