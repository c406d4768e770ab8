import VitrineGraphics

/// Determines the rows that are likely to appear: as many rows as have cells, in the direction of scrolling.
nonisolated struct RowsAhead {
  /// The changes to report to `ListView.prefetchDataSource`.
  struct RowChanges: Equatable {
    /// The rows that are now likely to appear, nearest first.
    var likely: [Int] = []
    /// The reported rows that are no longer likely to appear, in ascending order.
    var unlikely: [Int] = []
  }

  /// The rows that were reported as likely.
  private var reported = 0..<0

  /// Returns the changes after the rows with cells have changed from `old` to `rows`. If `old` is empty, the list is
  /// assumed to scroll down.
  mutating func move(from old: Range<Int>, to rows: Range<Int>, count: Int) -> RowChanges {
    guard !rows.isEmpty else { return reset() }
    let isUpwards = !old.isEmpty && rows.lowerBound < old.lowerBound
    var ahead = Self.ahead(of: rows, isUpwards: isUpwards, count: count)
    // If the number of cells varies by a row, rows that are still ahead are not cancelled.
    if ahead.overlaps(reported) {
      ahead =
        isUpwards
        ? min(ahead.lowerBound, reported.lowerBound)..<ahead.upperBound
        : ahead.lowerBound..<max(ahead.upperBound, reported.upperBound)
    }
    let new = ahead.filter { !reported.contains($0) }
    let unlikely = reported.filter { !ahead.contains($0) && !rows.contains($0) }
    reported = ahead
    return RowChanges(likely: isUpwards ? new.reversed() : new, unlikely: unlikely)
  }

  /// Returns the changes after rows were inserted, removed and moved, and other rows have cells. The direction stays.
  ///
  /// - Parameter rows: The rows with cells, before and after the changes.
  /// - Returns: The rows that are now likely, in their new numbers, and the rows that are no longer likely, in their
  ///   old numbers.
  mutating func apply(_ changes: ListChanges, rows: (old: Range<Int>, new: Range<Int>)) -> RowChanges {
    let isUpwards = !reported.isEmpty && reported.upperBound <= rows.old.lowerBound
    let ahead =
      rows.new.isEmpty ? 0..<0 : Self.ahead(of: rows.new, isUpwards: isUpwards, count: changes.newCount)
    let kept = Set(reported.compactMap { changes.newRow(of: $0) })
    let new = ahead.filter { !kept.contains($0) }
    let unlikely = reported.filter { row in
      changes.newRow(of: row).map { !ahead.contains($0) && !rows.new.contains($0) } ?? true
    }
    reported = ahead
    return RowChanges(likely: isUpwards ? new.reversed() : new, unlikely: unlikely)
  }

  /// Returns as many rows as have cells, above or below `rows`.
  private static func ahead(of rows: Range<Int>, isUpwards: Bool, count: Int) -> Range<Int> {
    isUpwards
      ? max(0, rows.lowerBound - rows.count)..<rows.lowerBound
      : rows.upperBound..<max(rows.upperBound, min(count, rows.upperBound + rows.count))
  }

  /// Returns all reported rows as no longer likely.
  mutating func reset() -> RowChanges {
    defer { reported = 0..<0 }
    return RowChanges(unlikely: Array(reported))
  }
}
