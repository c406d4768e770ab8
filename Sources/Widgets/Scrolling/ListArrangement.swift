package import VitrineGraphics

/// So many items in a layout of some width: which lies where. All of it is arithmetic, however many there are.
///
/// A line holds the items that lie beside each other: one row, or as many tiles as fit.
package nonisolated struct ListArrangement: Hashable, Sendable {
  package let layout: ListLayout
  package let count: Int
  /// Items of a full line; at least 1.
  package let columns: Int
  private let width: Double

  /// - Parameter width: in points, what the lines have room in.
  package init(_ layout: ListLayout, count: Int, width: Double) {
    self.layout = layout
    self.count = max(0, count)
    let width = width.clamped(to: 0...Self.widest)
    self.width = width
    columns = layout.tileWidth.map { max(1, Int((width + layout.gap) / ($0 + layout.gap))) } ?? 1
  }

  /// Points; more would be no width but a mistake.
  private static let widest = 1e9
  /// The last line that can be seen: beyond it points are too coarse to tell lines apart.
  private static let furthest = 1e15

  /// Lines, the last one perhaps not full.
  package var lines: Int { count / columns + (count % columns > 0 ? 1 : 0) }
  /// Points from the top of a line to that of the next.
  package var pitch: Double { layout.height + layout.gap }

  /// What all items take, the gaps between them and the room at their sides included.
  package var contentSize: Size {
    Size(
      width: max(width, layout.tileWidth ?? 0), height: max(0, Double(lines) * pitch - layout.gap))
  }

  /// Where an item lies, also one beyond the ends.
  package func place(of item: Int) -> Rect {
    var (line, column) = item.quotientAndRemainder(dividingBy: columns)
    if column < 0 { (line, column) = (line - 1, column + columns) }
    guard let tileWidth = layout.tileWidth else {
      return Rect(x: 0, y: Double(line) * pitch, width: width, height: layout.height)
    }
    return Rect(
      x: side + Double(column) * (tileWidth + layout.gap), y: Double(line) * pitch, width: tileWidth,
      height: layout.height)
  }

  /// What is left over on the left of tiles: whole points, so that tiles stay sharp.
  private var side: Double {
    guard let tileWidth = layout.tileWidth else { return 0 }
    let taken = Double(columns) * (tileWidth + layout.gap) - layout.gap
    return max(0, ((width - taken) / 2).rounded(.down))
  }

  /// The item at a point; nil beyond the ends, and between and beside tiles.
  package func item(at point: Point) -> Int? {
    let line = (point.y / pitch).rounded(.down)
    guard line >= 0, line < Double(lines), point.y - line * pitch < layout.height else { return nil }
    guard let tileWidth = layout.tileWidth else { return Int(line) }
    let x = point.x - side
    let column = (x / (tileWidth + layout.gap)).rounded(.down)
    guard column >= 0, column < Double(columns), x - column * (tileWidth + layout.gap) < tileWidth else {
      return nil
    }
    let first = firstItem(ofLine: Int(line))
    return column < Double(count - first) ? first + Int(column) : nil
  }

  /// The items of the lines of which something lies between two heights, and of so many lines more on either
  /// side.
  package func items(from top: Double, to bottom: Double, margin: Int = 0) -> Range<Int> {
    guard count > 0, bottom > top else { return 0..<0 }
    let last = min(Double(lines), Self.furthest)
    let first = Int(((top + layout.gap) / pitch).rounded(.down).clamped(to: 0...last)) - margin
    let end = Int((bottom / pitch).rounded(.up).clamped(to: 0...last)) + margin
    let start = firstItem(ofLine: max(0, first))
    return start..<max(start, firstItem(ofLine: end))
  }

  /// The number of items for a line beyond the end.
  package func firstItem(ofLine line: Int) -> Int { line < lines ? line * columns : count }

  // MARK: Steps

  /// Where a key takes the cursor.
  package enum Step: Hashable, Sendable {
    case previous, next, up, down, first, last
    /// As many lines as are wholly seen at once.
    case pageUp(lines: Int)
    case pageDown(lines: Int)
  }

  /// The item after a step from another, or from nowhere; the same where there is no further one, nil where
  /// there is none at all.
  ///
  /// Up and down stay in their column. Where the last line is too short for that, down goes to its last item, so
  /// that no item is left out.
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
