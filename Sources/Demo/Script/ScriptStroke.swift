import Vitrine

/// The straight way of a finger in a script. Fingers count from 1; `tap` and `press` use the mouse.
nonisolated struct ScriptStroke: Equatable {
  let finger: Int64
  let from: Point
  let to: Point

  /// Returns two fingers side by side around a point, whose distance changes.
  static func pinch(about center: Point, from: Double, to: Double) -> [ScriptStroke] {
    [-0.5, 0.5].enumerated().map { index, side in
      ScriptStroke(
        finger: Int64(index + 1), from: Point(x: center.x + side * from, y: center.y),
        to: Point(x: center.x + side * to, y: center.y))
    }
  }

  var beginning: InputEvent { .touch(id: finger, phase: .began, location: from) }
  var end: InputEvent { .touch(id: finger, phase: .ended, location: to) }

  /// Returns the event at a fraction of the way.
  func moved(by fraction: Double) -> InputEvent {
    .touch(
      id: finger, phase: .moved,
      location: Point(x: from.x + (to.x - from.x) * fraction, y: from.y + (to.y - from.y) * fraction))
  }
}
