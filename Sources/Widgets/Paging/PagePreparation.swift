import VitrineGraphics

/// The pages that the data source prepares: each is prepared once before it gets a view, and discarded once it is no
/// longer near.
nonisolated struct PagePreparation {
  /// The calls to make, in this order.
  struct Calls: Equatable {
    /// The pages that are no longer near, in ascending order.
    var discarded: [Int] = []
    /// The pages that have come near, nearest first.
    var prepared: [Int] = []
  }

  private var pages: Set<Int> = []

  /// Returns the calls after other pages have come near.
  ///
  /// - Parameter near: The pages near the visible one, nearest first.
  mutating func move(to near: [Int]) -> Calls {
    let new = Set(near)
    guard new != pages else { return Calls() }
    defer { pages = new }
    return Calls(
      discarded: pages.subtracting(new).sorted(), prepared: near.filter { !pages.contains($0) })
  }

  /// Gives the prepared pages their new numbers. Returns those that were removed, in their old numbers in ascending
  /// order.
  mutating func apply(_ changes: ListChanges) -> [Int] {
    let removed = pages.filter { changes.newRow(of: $0) == nil }.sorted()
    pages = Set(pages.compactMap { changes.newRow(of: $0) })
    return removed
  }

  /// Returns all prepared pages as discarded.
  mutating func reset() -> [Int] {
    defer { pages = [] }
    return pages.sorted()
  }
}
