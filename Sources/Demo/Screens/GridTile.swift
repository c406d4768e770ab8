import Vitrine

/// The size of a tile of the grid, unless `--tile` sets it.
///
/// In a grid of up to four columns, tiles are a little larger or smaller than the standard size, so that they fill the
/// width with a gap at each side. A wider grid keeps the standard size: its margins are small beside its tiles, and the
/// images of the list, which often have this size, are shown from memory.
nonisolated enum GridTile {
  static let standard = Size(width: 160, height: 120)
  /// The number of columns of standard tiles from which on tiles keep the standard size.
  private static let manyColumns = 4.0

  /// Returns the size of tiles in a grid of a width, with a gap between them, in whole points.
  static func size(inWidth width: Double, gap: Double) -> Size {
    let columns = (width - gap) / (standard.width + gap)
    guard columns > 0, columns < manyColumns else { return standard }
    let count = max(1, columns.rounded())
    let tileWidth = max(1, ((width - gap) / count - gap).rounded(.down))
    return Size(width: tileWidth, height: max(1, (tileWidth * standard.height / standard.width).rounded()))
  }
}
