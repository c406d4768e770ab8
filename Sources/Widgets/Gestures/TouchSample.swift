package import VitrineGraphics

/// A touch at one moment, as the input of gesture recognizers, which know neither views nor clocks.
package nonisolated struct TouchSample: Hashable, Sendable {
  /// The identifier of the finger, or `InputEvent.mouse`.
  package var id: Int64
  package var phase: TouchPhase
  /// The location in points. All samples of a recognizer have the same coordinates.
  package var location: Point
  /// The time in seconds.
  package var time: Double

  package init(id: Int64, phase: TouchPhase, location: Point, time: Double) {
    self.id = id
    self.phase = phase
    self.location = location
    self.time = time
  }

  /// Creates a sample of a touch in its current state, in window coordinates.
  @MainActor package init(_ touch: Touch) {
    self.init(id: touch.id, phase: touch.phase, location: touch.location, time: touch.time)
  }
}

/// Limits that several recognizers share.
package nonisolated enum GestureLimits {
  /// The distance from its beginning at which a touch is no longer a tap or a long press, in points.
  package static let slop = 10.0
}

extension Point {
  /// Returns the distance to another point, in the unit of the coordinates.
  package nonisolated func distance(to other: Point) -> Double {
    let difference = self - other
    return (difference.x * difference.x + difference.y * difference.y).squareRoot()
  }
}
