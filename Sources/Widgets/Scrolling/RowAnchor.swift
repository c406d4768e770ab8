import VitrineGraphics

/// The row that keeps its place on the screen while other rows are inserted, removed and moved.
nonisolated struct RowAnchor: Equatable {
  /// The row before the changes, whose place is kept.
  let oldRow: Int
  /// The row that is at this place after the changes: the same row, or another one if all visible rows were removed.
  let newRow: Int

  /// Finds the first visible row that stays. A row that was moved to another place is chosen only if no other visible
  /// row is left, because the rows around it are others. If all visible rows were removed, the next row that stays
  /// takes the place of the first of them, or else the previous one. Returns `nil` if no row stays, or none was
  /// visible.
  init?(_ changes: ListChanges, visible: Range<Int>) {
    func row(where isSuitable: (Int) -> Bool = { _ in true }, in rows: some Sequence<Int>) -> Int? {
      rows.first { changes.newRow(of: $0) != nil && isSuitable($0) }
    }
    guard let first = visible.first else { return nil }
    if let kept = row(where: { !changes.isMoved($0) }, in: visible) ?? row(in: visible) {
      guard let newRow = changes.newRow(of: kept) else { return nil }
      (oldRow, self.newRow) = (kept, newRow)
    } else {
      let following = visible.upperBound..<max(visible.upperBound, changes.oldCount)
      let preceding = (0..<first).reversed()
      guard
        let next = row(where: { !changes.isMoved($0) }, in: following) ?? row(in: following)
          ?? row(in: preceding),
        let newRow = changes.newRow(of: next)
      else { return nil }
      (oldRow, self.newRow) = (first, newRow)
    }
  }
}
