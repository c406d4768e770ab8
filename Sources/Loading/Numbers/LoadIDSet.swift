/// A set of numbers for the usual case of one element, which is stored in place: most fetches have one decode, one image
/// and one caller. Inserting, removing and counting are O(1).
struct LoadIDSet<Kind> {
  /// The element that was inserted into the empty set; `nil` after its removal.
  private(set) var inPlace: LoadID<Kind>?
  private var others: Set<LoadID<Kind>> = []

  var isEmpty: Bool { inPlace == nil && others.isEmpty }
  var count: Int { (inPlace == nil ? 0 : 1) + others.count }
  /// True if there are elements besides the one in place.
  var hasOthers: Bool { !others.isEmpty }

  mutating func insert(_ id: LoadID<Kind>) {
    guard inPlace != id else { return }
    if inPlace == nil, others.isEmpty { inPlace = id } else { others.insert(id) }
  }

  mutating func remove(_ id: LoadID<Kind>) {
    if inPlace == id { inPlace = nil } else if !others.isEmpty { others.remove(id) }
  }
}

extension LoadIDSet: Sequence {
  struct Iterator: IteratorProtocol {
    fileprivate var only: LoadID<Kind>?
    fileprivate var all: Array<LoadID<Kind>>.Iterator

    mutating func next() -> LoadID<Kind>? { only.take() ?? all.next() }
  }

  /// Returns an iterator over the elements in ascending order. O(n log n); without an allocation if the only element is in
  /// place.
  func makeIterator() -> Iterator {
    if others.isEmpty { return Iterator(only: inPlace, all: [].makeIterator()) }
    let all = inPlace.map { [$0] + others } ?? Array(others)
    return Iterator(only: nil, all: all.sorted().makeIterator())
  }
}

extension LoadIDSet: Sendable {}
