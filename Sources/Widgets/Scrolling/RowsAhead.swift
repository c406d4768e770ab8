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
    var ahead =
      isUpwards
      ? max(0, rows.lowerBound - rows.count)..<rows.lowerBound
      : rows.upperBound..<max(rows.upperBound, min(count, rows.upperBound + rows.count))
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

  /// Returns all reported rows as no longer likely.
  mutating func reset() -> RowChanges {
    defer { reported = 0..<0 }
    return RowChanges(unlikely: Array(reported))
  }
}
