public import VitrineGraphics

/// How a `ListView` places what it shows: as rows, or as tiles.
///
/// ```swift
/// list.layout = .tiles(Size(width: 160, height: 120), gap: 8)
/// ```
///
/// Tiles keep their size and their gap whatever the width is: as many columns as fit, one at least, and the width
/// that is left over goes to both sides. Tiles follow one another as words do; the last line begins where the
/// others do. A tile that is wider than the list is scrolled sideways.
public nonisolated struct ListLayout: Hashable, Sendable {
  /// Of a tile, in points; nil for rows, which are as wide as the list.
  public let tileWidth: Double?
  /// Of a row or a tile, in points.
  public let height: Double
  /// Between tiles, across and down, in points; 0 between rows. `ListView.contentInsets` makes room around them.
  public let gap: Double

  /// One below the other, each as wide as the list.
  ///
  /// - Parameter height: in points, 1 at least.
  public static func rows(height: Double) -> ListLayout {
    ListLayout(tileWidth: nil, height: length(height), gap: 0)
  }

  /// Beside and below one another.
  ///
  /// - Parameters:
  ///   - size: of each, in points, 1 at least each way.
  ///   - gap: points from one to the next, 0 or more.
  public static func tiles(_ size: Size, gap: Double = 8) -> ListLayout {
    ListLayout(tileWidth: length(size.width), height: length(size.height), gap: gap.clamped(to: 0...largest))
  }

  /// Larger than any screen; times any count it is still far from what a number can hold.
  private static let largest = 1e6

  private static func length(_ wanted: Double) -> Double { wanted.clamped(to: 1...largest) }
}
