import VitrineGraphics

/// A magnification about a point.
nonisolated struct Magnifier: Hashable {
  /// The ratio of the new lengths to the old ones; above 0.
  let factor: Double
  /// The point that stays where it is.
  let center: Point

  /// Returns the position after the magnification.
  func magnified(_ point: Point) -> Point { center + (point - center) * factor }

  /// Returns the rectangle after the magnification.
  func magnified(_ rect: Rect) -> Rect { Rect(origin: magnified(rect.origin), size: rect.size * factor) }

  /// Returns the position before the magnification.
  func original(_ point: Point) -> Point { center + (point - center) * (1 / factor) }
}

extension Point {
  /// Multiplies both coordinates by `factor`.
  nonisolated static func * (point: Point, factor: Double) -> Point {
    Point(x: point.x * factor, y: point.y * factor)
  }
}
