import VitrineGraphics

/// The offsets of both images of a slide from their resting frames, in points.
nonisolated struct SlideOffsets: Hashable {
  var old, new: Point

  /// Computes the offsets at `progress`, 0…1.
  ///
  /// - Parameters:
  ///   - size: The size of the rectangle that the old image leaves and the new image enters.
  ///   - scale: Pixels per point. Both images move by whole pixels, so that they keep their sizes and stay adjacent.
  init(_ direction: Transition.Direction, progress: Double, size: Size, scale: Double) {
    let travel: Point =
      switch direction {
      case .left: Point(x: -size.width, y: 0)
      case .right: Point(x: size.width, y: 0)
      case .up: Point(x: 0, y: -size.height)
      case .down: Point(x: 0, y: size.height)
      }
    func snapped(_ distance: Double) -> Double { (distance * scale).rounded() / scale }
    old = Point(x: snapped(travel.x * progress), y: snapped(travel.y * progress))
    new = Point(x: old.x - snapped(travel.x), y: old.y - snapped(travel.y))
  }
}
