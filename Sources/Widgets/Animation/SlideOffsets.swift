import VitrineGraphics

/// How far both pictures of a slide are from their places.
nonisolated struct SlideOffsets: Hashable {
  var old: Point
  var new: Point

  /// - Parameters:
  ///   - size: the room that the old picture leaves and the new one enters.
  ///   - scale: pixels to a point. Both move by whole pixels, so that they keep their sizes, and stay together.
  init(_ direction: Transition.Direction, progress: Double, size: Size, scale: Double) {
    let way: Point =
      switch direction {
      case .left: Point(x: -size.width, y: 0)
      case .right: Point(x: size.width, y: 0)
      case .up: Point(x: 0, y: -size.height)
      case .down: Point(x: 0, y: size.height)
      }
    func whole(_ distance: Double) -> Double { (distance * scale).rounded() / scale }
    old = Point(x: whole(way.x * progress), y: whole(way.y * progress))
    new = Point(x: old.x - whole(way.x), y: old.y - whole(way.y))
  }
}
