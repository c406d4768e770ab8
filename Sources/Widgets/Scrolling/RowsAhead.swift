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
  private var told = 0..<0

  /// Returns the changes after the rows with cells have changed from `old` to `near`. If `old` is empty, the list is
  /// assumed to scroll down.
  mutating func move(from old: Range<Int>, to near: Range<Int>, count: Int) -> RowChanges {
    guard !near.isEmpty else { return forget() }
    let isUpwards = !old.isEmpty && near.lowerBound < old.lowerBound
    var ahead =
      isUpwards
      ? max(0, near.lowerBound - near.count)..<near.lowerBound
      : near.upperBound..<max(near.upperBound, min(count, near.upperBound + near.count))
    // If the number of cells varies by a row, rows that are still ahead are not cancelled.
    if ahead.overlaps(told) {
      ahead =
        isUpwards
        ? min(ahead.lowerBound, told.lowerBound)..<ahead.upperBound
        : ahead.lowerBound..<max(ahead.upperBound, told.upperBound)
    }
    let new = ahead.filter { !told.contains($0) }
    let unlikely = told.filter { !ahead.contains($0) && !near.contains($0) }
    told = ahead
    return RowChanges(likely: isUpwards ? new.reversed() : new, unlikely: unlikely)
  }

  /// Returns all reported rows as no longer likely.
  mutating func forget() -> RowChanges {
    defer { told = 0..<0 }
    return RowChanges(unlikely: Array(told))
  }
}
