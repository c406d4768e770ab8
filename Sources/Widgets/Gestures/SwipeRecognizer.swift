import VitrineGraphics

/// Recognizes a flick of one finger up, down, left or right.
///
/// The finger is lifted with a velocity of at least 300 points per second, along the direction in which it has moved,
/// and at least twice as fast along one axis as along the other. A second finger rules out a swipe.
package nonisolated struct SwipeRecognizer {
  /// The minimum velocity in points per second.
  package static let minimumVelocity = 300.0
  /// The minimum ratio of the velocities along and across the direction.
  package static let minimumRatio = 2.0

  private var start: TouchSample?
  private var velocity = VelocityTracker()
  private var fingers: Set<Int64> = []

  package init() {}

  /// Returns the direction of the swipe that a lifted finger completes; `nil` in general.
  package mutating func handle(_ sample: TouchSample) -> FocusDirection? {
    switch sample.phase {
    case .began:
      fingers.insert(sample.id)
      start = fingers.count == 1 ? sample : nil
      velocity = VelocityTracker()
      velocity.add(sample.location, at: sample.time)
    case .moved:
      if start?.id == sample.id { velocity.add(sample.location, at: sample.time) }
    case .ended:
      fingers.remove(sample.id)
      guard let start, start.id == sample.id else { return nil }
      self.start = nil
      velocity.add(sample.location, at: sample.time)
      return Self.direction(movement: sample.location - start.location, velocity: velocity.velocity)
    case .cancelled:
      fingers.remove(sample.id)
      if start?.id == sample.id { cancel() }
    }
    return nil
  }

  /// Forgets the finger that is down, because another gesture has been recognized.
  package mutating func cancel() { start = nil }

  private static func direction(movement: Point, velocity: Point) -> FocusDirection? {
    let isSideways = abs(velocity.x) > abs(velocity.y)
    let (along, across) = isSideways ? (velocity.x, velocity.y) : (velocity.y, velocity.x)
    let distance = isSideways ? movement.x : movement.y
    guard abs(along) >= minimumVelocity, abs(along) >= minimumRatio * abs(across),
      abs(distance) >= GestureLimits.slop, (distance > 0) == (along > 0)
    else { return nil }
    if isSideways { return along > 0 ? .right : .left }
    return along > 0 ? .down : .up
  }
}
