import Glibc
import VitrineGraphics

/// The scale and the place of a zoomed image within a view.
nonisolated struct ZoomPosition: Hashable {
  /// The scale relative to the size at which the whole image fits the view; 1 shows all of it.
  var scale = 1.0
  /// The distance from the center of the view to the center of the image, in points.
  var offset = Point.zero

  /// Returns the position after a change of the scale about a point that stays in its place.
  ///
  /// - Parameters:
  ///   - factor: The factor by which the scale is multiplied; positive.
  ///   - anchor: The point, as a distance from the center of the view.
  func scaled(by factor: Double, about anchor: Point) -> ZoomPosition {
    ZoomPosition(
      scale: scale * factor,
      offset: Point(
        x: anchor.x - (anchor.x - offset.x) * factor, y: anchor.y - (anchor.y - offset.y) * factor))
  }

  /// Returns a position on the way to another one. The scale changes at a constant rate, and the point that lies in the
  /// same place at both ends stays there.
  ///
  /// - Parameter fraction: The fraction of the way, 0…1.
  func moved(to goal: ZoomPosition, fraction: Double) -> ZoomPosition {
    guard abs(goal.scale / scale - 1) > 1e-6 else {
      return ZoomPosition(
        scale: goal.scale,
        offset: Point(
          x: offset.x + (goal.offset.x - offset.x) * fraction,
          y: offset.y + (goal.offset.y - offset.y) * fraction)
      )
    }
    let scale = self.scale * pow(goal.scale / self.scale, fraction)
    let part = (scale - self.scale) / (goal.scale - self.scale)
    return ZoomPosition(
      scale: scale,
      offset: Point(
        x: offset.x + (goal.offset.x - offset.x) * part, y: offset.y + (goal.offset.y - offset.y) * part))
  }
}
