import Vitrine

/// The frames of the tiles of a strip, from left to right. All functions are O(1).
nonisolated struct StripLayout: Hashable {
  var count = 0
  /// The size of a tile in points; at least 1 point wide.
  var tile = Size(width: 1, height: 1)
  /// The gap between two tiles in points.
  var gap = 0.0

  /// The distance between the left edges of two consecutive tiles in points.
  var pitch: Double { max(1, tile.width + gap) }
  /// The width of all tiles with their gaps in points.
  var width: Double { max(0, Double(count) * pitch - gap) }

  /// Returns the frame of a tile. The first tile is at the origin.
  func frame(of row: Int) -> Rect {
    Rect(x: Double(row) * pitch, y: 0, width: tile.width, height: tile.height)
  }

  /// Returns the tiles that overlap a range of the strip, the gap behind each tile included, and further tiles at both
  /// sides.
  func rows(from left: Double, to right: Double, margin: Int = 0) -> Range<Int> {
    guard count > 0, right > left else { return 0..<0 }
    let last = Double(count)
    let first = Int(min(last, max(0, (left / pitch).rounded(.down))))
    let end = Int(min(last, max(0, (right / pitch).rounded(.up))))
    let start = max(0, first - margin)
    return start..<max(start, min(count, end + margin))
  }

  /// Returns the number of whole tiles in a width in points, at least 1.
  func rowsPerPage(_ width: Double) -> Int { max(1, Int(min(1e6, max(0, width + gap) / pitch))) }

  /// Returns the tile with a part of both neighbors, which is shown when the tile is scrolled to; only the tile if that
  /// does not fit the width.
  func surroundings(of row: Int, in width: Double) -> Rect {
    let frame = frame(of: row)
    let part = gap + tile.width / 2
    guard tile.width + 2 * part <= width else { return frame }
    return Rect(x: frame.minX - part, y: 0, width: frame.width + 2 * part, height: frame.height)
  }
}
