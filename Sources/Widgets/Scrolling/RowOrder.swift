/// The order in which rows get their cells and thereby request their images: the visible rows, then the rows that the
/// list scrolls towards, nearest first, then the rows behind.
nonisolated struct RowOrder: Equatable {
  let rows: [Int]

  /// - Parameters:
  ///   - wanted: The rows that should have cells.
  ///   - visible: The visible rows.
  ///   - old: The rows that had cells. If empty, the list is assumed to scroll down.
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
