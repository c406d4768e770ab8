/// The order in which rows get their cells and thereby request their images: the visible rows, then the rows that the
/// list scrolls towards, nearest first, then the rows behind.
nonisolated struct RowOrder: Equatable {
  let rows: [Int]

  /// - Parameters:
  ///   - needed: The rows that should have cells.
  ///   - visible: The visible rows.
  ///   - old: The rows that had cells. If empty, the list is assumed to scroll down.
  init(_ needed: Range<Int>, visible: Range<Int>, from old: Range<Int>) {
    let visible = visible.clamped(to: needed)
    guard !visible.isEmpty else {
      rows = Array(needed)
      return
    }
    let above = Array((needed.lowerBound..<visible.lowerBound).reversed())
    let below = Array(visible.upperBound..<needed.upperBound)
    let isUpwards = !old.isEmpty && needed.lowerBound < old.lowerBound
    rows = Array(visible) + (isUpwards ? above + below : below + above)
  }
}
