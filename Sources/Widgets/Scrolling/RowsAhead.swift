/// Which rows are likely to come: as many as have cells, on the side that the list is scrolled to. Decides only.
nonisolated struct RowsAhead {
  /// What somebody is told.
  struct News: Equatable {
    /// Nearest first.
    var likely: [Int] = []
    /// In order.
    var unlikely: [Int] = []
  }

  /// Those that somebody knows of.
  private var told = 0..<0

  /// The rows with cells have changed; from none to some the list is about to be scrolled down.
  mutating func move(from old: Range<Int>, to near: Range<Int>, count: Int) -> News {
    guard !near.isEmpty else { return forget() }
    let isUpwards = !old.isEmpty && near.lowerBound < old.lowerBound
    var ahead =
      isUpwards
      ? max(0, near.lowerBound - near.count)..<near.lowerBound
      : near.upperBound..<max(near.upperBound, min(count, near.upperBound + near.count))
    // A row more or less with a cell takes nothing back that lies ahead still.
    if ahead.overlaps(told) {
      ahead =
        isUpwards
        ? min(ahead.lowerBound, told.lowerBound)..<ahead.upperBound
        : ahead.lowerBound..<max(ahead.upperBound, told.upperBound)
    }
    let new = ahead.filter { !told.contains($0) }
    let unlikely = told.filter { !ahead.contains($0) && !near.contains($0) }
    told = ahead
    return News(likely: isUpwards ? new.reversed() : new, unlikely: unlikely)
  }

  /// What was told is of no use any more.
  mutating func forget() -> News {
    defer { told = 0..<0 }
    return News(unlikely: Array(told))
  }
}
