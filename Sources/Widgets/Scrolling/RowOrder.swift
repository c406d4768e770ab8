/// The order in which rows get their cells, and so ask for their images: the visible rows, then those that the list is
/// scrolled towards, nearest first, then those behind.
nonisolated struct RowOrder: Equatable {
  let rows: [Int]

  /// - Parameters:
  ///   - wanted: the rows that are to have cells.
  ///   - visible: the rows that can be seen.
  ///   - old: the rows that had cells; without any the list is about to be scrolled down.
  init(_ wanted: Range<Int>, visible: Range<Int>, from old: Range<Int>) {
    let visible = visible.clamped(to: wanted)
    guard !visible.isEmpty else {
      rows = Array(wanted)
      return
    }
    let above = Array((wanted.lowerBound..<visible.lowerBound).reversed())
    let below = Array(visible.upperBound..<wanted.upperBound)
    let isUpwards = !old.isEmpty && wanted.lowerBound < old.lowerBound
    rows = Array(visible) + (isUpwards ? above + below : below + above)
  }
}
