import VitrineGraphics

/// A square of an image that is scaled down by a power of two.
nonisolated struct Tile: Hashable {
  /// The factor by which each side of the image is divided: 1, 2, 4 or 8.
  let reduction: Int
  let column, row: Int
}

/// The tiles of a large image: which of them a view needs, and where they lie.
nonisolated struct TileGrid: Hashable {
  /// The side of a tile in pixels of the scaled image. Smaller tiles fit the visible part better, larger ones take fewer
  /// jobs.
  static let side = 256
  /// The number of pixels of its neighbors that a tile has at each side, so that sampling finds the same pixels on both
  /// sides of an edge.
  static let overlap = 2
  /// The largest side of a pixel of a tile on the screen, in pixels of the screen. Up to this limit, the eye does not
  /// see that there are more pixels.
  static let largestPixel = 1.1
  /// The smallest side of a pixel of a tile on the screen. Tiles that are made much smaller flicker.
  static let smallestPixel = 0.45

  let layout: RegionLayout

  private var source: Size { Size(width: Double(layout.sourceWidth), height: Double(layout.sourceHeight)) }

  /// Returns the factor by which the image is scaled down for a scale.
  ///
  /// - Parameters:
  ///   - scale: The number of pixels of the screen for each pixel of the image.
  ///   - current: The factor that is used now, which stays while it serves the scale; `nil` for none.
  static func reduction(for scale: Double, current: Int?) -> Int {
    if let current, isUsable(current, at: scale) { return current }
    return ImageRegion.reductions.last { scale * Double($0) <= largestPixel } ?? 1
  }

  /// Returns true if tiles of a factor are sharp at a scale, and not too small.
  private static func isUsable(_ reduction: Int, at scale: Double) -> Bool {
    let pixel = scale * Double(reduction)
    return pixel >= smallestPixel && (pixel <= largestPixel || reduction == 1)
  }

  /// Returns true if tiles of a factor may be drawn at a scale, until others are there.
  static func mayDraw(_ reduction: Int, at scale: Double) -> Bool {
    scale * Double(reduction) >= smallestPixel / 2
  }

  /// Returns the number of columns and rows of tiles.
  func count(reducedBy reduction: Int) -> (columns: Int, rows: Int) {
    let size = layout.size(reducedBy: reduction)
    return ((size.width + Self.side - 1) / Self.side, (size.height + Self.side - 1) / Self.side)
  }

  /// Returns the part of the image that is decoded for a tile, with the overlap.
  func region(of tile: Tile) -> ImageRegion {
    let size = layout.size(reducedBy: tile.reduction)
    let left = max(0, tile.column * Self.side - Self.overlap)
    let top = max(0, tile.row * Self.side - Self.overlap)
    let right = min(size.width, (tile.column + 1) * Self.side + Self.overlap)
    let bottom = min(size.height, (tile.row + 1) * Self.side + Self.overlap)
    return ImageRegion(reduction: tile.reduction, x: left, y: top, width: right - left, height: bottom - top)
  }

  /// Returns the tiles that a part of the view shows, the ones nearest to its center first.
  ///
  /// - Parameters:
  ///   - visible: The part of the view, in the coordinates of `frame`.
  ///   - frame: The frame of the whole image.
  ///   - margin: The number of further tiles at each side.
  func tiles(in visible: Rect, of frame: Rect, reducedBy reduction: Int, margin: Int = 0) -> [Tile] {
    let part = visible.intersection(frame)
    guard !part.isEmpty, !frame.isEmpty else { return [] }
    let (columns, rows) = count(reducedBy: reduction)
    let start = pixel(part.origin, of: frame, reducedBy: reduction)
    let end = pixel(Point(x: part.maxX, y: part.maxY), of: frame, reducedBy: reduction)
    func range(_ start: Double, _ end: Double, _ count: Int) -> Range<Int> {
      let first = Int((start / Double(Self.side)).rounded(.down).clamped(to: 0...Double(count - 1)))
      let last = Int((end / Double(Self.side)).rounded(.up).clamped(to: Double(first + 1)...Double(count)))
      return max(0, first - margin)..<min(count, last + margin)
    }
    let (across, down) = (range(start.x, end.x, columns), range(start.y, end.y, rows))
    let center = ((start.x + end.x) / 2 / Double(Self.side), (start.y + end.y) / 2 / Double(Self.side))
    func distance(_ tile: Tile) -> Double {
      let (x, y) = (Double(tile.column) + 0.5 - center.0, Double(tile.row) + 0.5 - center.1)
      return x * x + y * y
    }
    return down.flatMap { row in across.map { Tile(reduction: reduction, column: $0, row: row) } }
      .sorted { distance($0) < distance($1) }
  }

  /// Returns the rectangle of a tile without its overlap, in the coordinates of the image's frame.
  func rect(of tile: Tile, in frame: Rect) -> Rect {
    let size = layout.size(reducedBy: tile.reduction)
    let start = point(
      Point(x: Double(tile.column * Self.side), y: Double(tile.row * Self.side)), of: frame,
      reducedBy: tile.reduction)
    let end = point(
      Point(
        x: Double(min(size.width, (tile.column + 1) * Self.side)),
        y: Double(min(size.height, (tile.row + 1) * Self.side))),
      of: frame, reducedBy: tile.reduction)
    // The last column and row may reach beyond the image.
    return Rect(x: start.x, y: start.y, width: end.x - start.x, height: end.y - start.y).intersection(frame)
  }

  /// Returns the part of a tile's bitmap that a rectangle shows.
  func source(_ rect: Rect, of tile: Tile, in frame: Rect) -> Rect {
    let region = region(of: tile)
    let start = pixel(rect.origin, of: frame, reducedBy: tile.reduction)
    let end = pixel(Point(x: rect.maxX, y: rect.maxY), of: frame, reducedBy: tile.reduction)
    return Rect(
      x: start.x - Double(region.x), y: start.y - Double(region.y), width: end.x - start.x,
      height: end.y - start.y)
  }

  /// Converts a point of the view to pixels of the scaled image.
  private func pixel(_ point: Point, of frame: Rect, reducedBy reduction: Int) -> Point {
    let origin = layout.origin(reducedBy: reduction)
    return Point(
      x: ((point.x - frame.minX) * source.width / frame.width - origin.x) / Double(reduction),
      y: ((point.y - frame.minY) * source.height / frame.height - origin.y) / Double(reduction))
  }

  private func point(_ pixel: Point, of frame: Rect, reducedBy reduction: Int) -> Point {
    let origin = layout.origin(reducedBy: reduction)
    return Point(
      x: frame.minX + (pixel.x * Double(reduction) + origin.x) * frame.width / source.width,
      y: frame.minY + (pixel.y * Double(reduction) + origin.y) * frame.height / source.height)
  }
}
