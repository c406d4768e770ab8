import Vitrine

/// The rows of a feed that the user has selected by long presses.
nonisolated struct RowSelection: Hashable {
  private var rows: Set<Int> = []

  func contains(_ row: Int) -> Bool { rows.contains(row) }

  /// Selects a row, or deselects a row that is selected.
  mutating func toggle(_ row: Int) { if rows.remove(row) == nil { rows.insert(row) } }

  /// Takes over other rows. Rows that stay remain selected, also if their file was overwritten.
  mutating func apply(_ changes: inout FeedRowChanges) {
    rows = Set(rows.compactMap { changes.newRow(of: $0) })
  }
}
