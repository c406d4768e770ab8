import VitrineGraphics

/// Measures the velocity of a lifted finger over the last 100 ms of movement.
nonisolated struct VelocityTracker {
  /// The period in seconds over which the velocity is measured. A finger that rests longer before it is lifted has no
  /// velocity.
  static let period = 0.1
  /// The maximum speed per axis in points per second, above that of any finger. It limits the quotient of two nearly
  /// simultaneous events.
  static let maximumSpeed = 12_000.0

  private var samples: [(time: Double, location: Point)] = []

  mutating func add(_ location: Point, at time: Double) {
    samples.removeAll { $0.time < time - Self.period }
    samples.append((time, location))
  }

  /// The velocity in points per second; zero without two samples at different times.
  var velocity: Point {
    guard let first = samples.first, let last = samples.last, last.time > first.time else { return .zero }
    let seconds = last.time - first.time
    func limited(_ value: Double) -> Double {
      min(Self.maximumSpeed, max(-Self.maximumSpeed, value / seconds))
    }
    let distance = last.location - first.location
    return Point(x: limited(distance.x), y: limited(distance.y))
  }
}
