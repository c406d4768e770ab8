public import VitrineGraphics

/// The layout of a `ListView`: rows or tiles.
///
/// ```swift
/// list.layout = .tiles(Size(width: 160, height: 120), gap: 8)
/// ```
///
/// Tiles have a fixed size and gap. A line contains as many tiles as fit, at least one, and the remaining width is
/// distributed to both sides. Tiles are ordered from left to right and top to bottom; an incomplete last line starts at
/// the left. A tile that is wider than the list scrolls horizontally.
public nonisolated struct ListLayout: Hashable, Sendable {
  /// The width of a tile in points; `nil` for rows, which are as wide as the list.
  public let tileWidth: Double?
  /// The height of a row or tile in points.
  public let height: Double
  /// The horizontal and vertical gap between tiles in points; 0 between rows. `ListView.contentInsets` adds space
  /// around all tiles.
  public let gap: Double

  /// Returns a layout of rows, each as wide as the list.
  ///
  /// - Parameter height: The height of a row in points, at least 1.
  public static func rows(height: Double) -> ListLayout {
    ListLayout(tileWidth: nil, height: length(height), gap: 0)
  }

  /// Returns a layout of tiles in lines.
  ///
  /// - Parameters:
  ///   - size: The size of a tile in points, at least 1 in each direction.
  ///   - gap: The gap between tiles in points, 0 or more; 8 by default.
  public static func tiles(_ size: Size, gap: Double = 8) -> ListLayout {
    ListLayout(tileWidth: length(size.width), height: length(size.height), gap: gap.clamped(to: 0...largest))
  }

  /// The maximum length in points: larger than any screen, and its product with any count is still a finite number.
  private static let largest = 1e6

  private static func length(_ value: Double) -> Double { value.clamped(to: 1...largest) }
}
