import VitrineGraphics

/// How fast a finger moves when it is lifted, from the last 100 ms of its way.
nonisolated struct VelocityTracker {
  /// Seconds; a finger that rests longer before it is lifted throws nothing.
  static let window = 0.1
  /// Points a second; faster than any finger, so that two events in one instant throw nothing into the void.
  static let maximum = 12_000.0

  private var samples: [(time: Double, location: Point)] = []

  mutating func add(_ location: Point, at time: Double) {
    samples.removeAll { $0.time < time - Self.window }
    samples.append((time, location))
  }

  /// Points a second.
  var velocity: Point {
    guard let first = samples.first, let last = samples.last, last.time > first.time else { return .zero }
    let seconds = last.time - first.time
    func limited(_ value: Double) -> Double { min(Self.maximum, max(-Self.maximum, value / seconds)) }
    let way = last.location - first.location
    return Point(x: limited(way.x), y: limited(way.y))
  }
}
