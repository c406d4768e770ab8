package import VitrineGraphics

/// The frames of a number of items in a layout of a given width. All functions are O(1).
///
/// A line contains the items side by side: one row, or as many tiles or rows as fit.
package nonisolated struct ListArrangement: Hashable, Sendable {
  package let layout: ListLayout
  package let count: Int
  /// The number of items in a full line, at least 1.
  package let columns: Int
  private let width: Double
  /// The width of an item in points.
  private let itemWidth: Double

  /// - Parameter width: The width available for the lines, in points; limited to 0…1e9.
  package init(_ layout: ListLayout, count: Int, width: Double) {
    self.layout = layout
    self.count = max(0, count)
    let width = width.clamped(to: 0...Self.largestWidth)
    self.width = width
    let leastWidth = layout.tileWidth ?? layout.minimumWidth
    columns = leastWidth.map { max(1, Int((width + layout.gap) / ($0 + layout.gap))) } ?? 1
    // Whole points keep rows side by side sharp.
    itemWidth =
      layout.tileWidth
      ?? (columns == 1 ? width : ((width + layout.gap) / Double(columns) - layout.gap).rounded(.down))
  }

  /// The maximum width in points. Larger widths are programming errors.
  private static let largestWidth = 1e9
  /// The maximum number of lines that can be visible. Beyond it, the precision of `Double` cannot tell lines apart.
  private static let largestLineCount = 1e15

  /// The number of lines; the last line may be incomplete.
  package var lines: Int { count / columns + (count % columns > 0 ? 1 : 0) }
  /// The distance between the tops of two consecutive lines, in points.
  package var pitch: Double { layout.height + layout.gap }

  /// The size of all items with all gaps and the margins at the sides.
  package var contentSize: Size {
    Size(width: max(width, layout.tileWidth ?? 0), height: max(0, Double(lines) * pitch - layout.gap))
  }

  /// Returns the frame of an item. Indices beyond the ends are allowed.
  package func frame(of item: Int) -> Rect {
    var (line, column) = item.quotientAndRemainder(dividingBy: columns)
    if column < 0 { (line, column) = (line - 1, column + columns) }
    return Rect(
      x: sideMargin + Double(column) * (itemWidth + layout.gap), y: Double(line) * pitch, width: itemWidth,
      height: layout.height)
  }

  /// The margin on the left of the items, in whole points so that they stay sharp.
  private var sideMargin: Double {
    let usedWidth = Double(columns) * (itemWidth + layout.gap) - layout.gap
    return max(0, ((width - usedWidth) / 2).rounded(.down))
  }

  /// Returns the item at a point; `nil` beyond the ends and between or beside items.
  package func item(at point: Point) -> Int? {
    let line = (point.y / pitch).rounded(.down)
    guard line >= 0, line < Double(lines), point.y - line * pitch < layout.height else { return nil }
    // A row as wide as the list extends beyond its sides.
    if !layout.allowsColumns { return Int(line) }
    let x = point.x - sideMargin
    let column = (x / (itemWidth + layout.gap)).rounded(.down)
    guard column >= 0, column < Double(columns), x - column * (itemWidth + layout.gap) < itemWidth else {
      return nil
    }
    let first = firstItem(ofLine: Int(line))
    return column < Double(count - first) ? first + Int(column) : nil
  }

  /// Returns the items of all lines that overlap the heights from `top` to `bottom`, and of `margin` further lines on
  /// each side.
  package func items(from top: Double, to bottom: Double, margin: Int = 0) -> Range<Int> {
    guard count > 0, bottom > top else { return 0..<0 }
    let last = min(Double(lines), Self.largestLineCount)
    let first = Int(((top + layout.gap) / pitch).rounded(.down).clamped(to: 0...last)) - margin
    let end = Int((bottom / pitch).rounded(.up).clamped(to: 0...last)) + margin
    let start = firstItem(ofLine: max(0, first))
    return start..<max(start, firstItem(ofLine: end))
  }

  /// Returns the first item of a line, or the number of items for a line beyond the end.
  package func firstItem(ofLine line: Int) -> Int { line < lines ? line * columns : count }

  // MARK: Steps

  /// A movement of the cursor by a key.
  package enum Step: Hashable, Sendable {
    case previous, next, up, down, first, last
    /// One page up or down. `lines` is the number of lines that are fully visible at once.
    case pageUp(lines: Int)
    case pageDown(lines: Int)
  }

  /// Returns the item that a step leads to from `current`; `nil` for `current` means that no item is selected yet.
  /// Returns `current` if there is no further item in that direction, and `nil` if there are no items.
  ///
  /// Steps up and down stay in their column. A step down into an incomplete last line without that column leads to the
  /// last item, so that each item can be reached.
  package func item(after step: Step, from current: Int?) -> Int? {
    guard count > 0 else { return nil }
    let last = count - 1
    guard let current = current.map({ min(max(0, $0), last) }) else {
      switch step {
      case .next, .down, .first, .pageDown: return 0
      case .previous, .up, .last, .pageUp: return last
      }
    }
    let line = current / columns
    func moved(toLine line: Int) -> Int {
      let first = firstItem(ofLine: line)
      return first + min(last - first, current % columns)
    }
    switch step {
    case .previous: return max(0, current - 1)
    case .next: return min(last, current + 1)
    case .first: return 0
    case .last: return last
    case .up: return moved(toLine: max(0, line - 1))
    case .down: return moved(toLine: min(lines - 1, line + 1))
    case .pageUp(let page): return moved(toLine: line - min(line, max(1, page)))
    case .pageDown(let page): return moved(toLine: line + min(lines - 1 - line, max(1, page)))
    }
  }
}
