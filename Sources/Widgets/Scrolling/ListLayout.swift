public import VitrineGraphics

/// The layout of a `ListView`: rows, rows side by side, or tiles.
///
/// ```swift
/// list.layout = .tiles(Size(width: 160, height: 120), gap: 8)
/// list.layout = .rows(height: 144, minimumWidth: 448)
/// ```
///
/// Tiles have a fixed size and gap. A line contains as many tiles as fit, at least one, and the remaining width is
/// distributed to both sides. Tiles are ordered from left to right and top to bottom; an incomplete last line starts at
/// the left. A tile that is wider than the list scrolls horizontally.
///
/// Rows side by side have a minimum width. A list that is wide enough has several columns, which share its whole width;
/// a narrower list has one. Rows are ordered as tiles are.
public nonisolated struct ListLayout: Hashable, Sendable {
  /// The width of a tile in points; `nil` for rows.
  public let tileWidth: Double?
  /// The minimum width in points of rows side by side; `nil` for tiles, and for rows that are as wide as the list.
  public let minimumWidth: Double?
  /// The height of a row or tile in points.
  public let height: Double
  /// The horizontal and vertical gap between tiles, or between rows side by side, in points; 0 between rows as wide as
  /// the list. `ListView.contentInsets` adds space around all tiles.
  public let gap: Double

  /// Returns a layout of rows, each as wide as the list.
  ///
  /// - Parameter height: The height of a row in points, at least 1.
  public static func rows(height: Double) -> ListLayout {
    ListLayout(tileWidth: nil, minimumWidth: nil, height: length(height), gap: 0)
  }

  /// Returns a layout of rows side by side, in as many columns as fit, at least one.
  ///
  /// - Parameters:
  ///   - height: The height of a row in points, at least 1.
  ///   - minimumWidth: The width in points below which a row does not share the width of the list with another row, at
  ///     least 1. A list that is narrower has rows of its own width.
  ///   - gap: The gap between rows in points, 0 or more; 0 by default.
  public static func rows(height: Double, minimumWidth: Double, gap: Double = 0) -> ListLayout {
    ListLayout(
      tileWidth: nil, minimumWidth: length(minimumWidth), height: length(height),
      gap: gap.clamped(to: 0...largest))
  }

  /// Returns a layout of tiles in lines.
  ///
  /// - Parameters:
  ///   - size: The size of a tile in points, at least 1 in each direction.
  ///   - gap: The gap between tiles in points, 0 or more; 8 by default.
  public static func tiles(_ size: Size, gap: Double = 8) -> ListLayout {
    ListLayout(
      tileWidth: length(size.width), minimumWidth: nil, height: length(size.height),
      gap: gap.clamped(to: 0...largest))
  }

  /// True if a list that is wide enough has several columns.
  var allowsColumns: Bool { tileWidth != nil || minimumWidth != nil }

  /// The maximum length in points: larger than any screen, and its product with any count is still a finite number.
  private static let largest = 1e6

  private static func length(_ value: Double) -> Double { value.clamped(to: 1...largest) }
}
