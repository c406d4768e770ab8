import VitrineGraphics

/// The movement of a zoomed image without fingers: momentum and return after a drag, or the way to another scale.
nonisolated struct ZoomMotion {
  private enum Course {
    /// Each axis moves on its own, at a constant scale.
    case free(horizontal: ScrollMotion?, vertical: ScrollMotion?)
    case glide(from: ZoomPosition, to: ZoomPosition, duration: Double)
  }

  /// The duration of the return to the limits of the scale, in seconds.
  static let returnDuration = 0.25

  private var course: Course
  private let start: Double

  /// Moves to another position.
  init(from position: ZoomPosition, to goal: ZoomPosition, duration: Double, at now: Double) {
    course = .glide(from: position, to: goal, duration: duration)
    start = now
  }

  /// Returns the movement after the fingers are lifted; `nil` for rest.
  ///
  /// - Parameters:
  ///   - anchor: The last place of the fingers, as a distance from the center of the view.
  ///   - velocity: The velocity of the fingers in points per second.
  static func release(
    _ position: ZoomPosition, about anchor: Point, velocity: Point, in geometry: ZoomGeometry, at now: Double
  ) -> ZoomMotion? {
    let limited = geometry.limited(position, about: anchor)
    if abs(limited.scale / position.scale - 1) > 1e-6 {
      return ZoomMotion(from: position, to: limited, duration: returnDuration, at: now)
    }
    let horizontal = ScrollMotion.release(
      at: position.offset.x, velocity: velocity.x, range: geometry.horizontalRange(at: position.scale),
      now: now)
    let vertical = ScrollMotion.release(
      at: position.offset.y, velocity: velocity.y, range: geometry.verticalRange(at: position.scale), now: now
    )
    guard horizontal != nil || vertical != nil else { return nil }
    return ZoomMotion(.free(horizontal: horizontal, vertical: vertical), at: now)
  }

  private init(_ course: Course, at start: Double) {
    (self.course, self.start) = (course, start)
  }

  /// The destination of a movement to another scale; `nil` for other movements.
  var goal: ZoomPosition? {
    if case .glide(_, let goal, _) = course { goal } else { nil }
  }

  /// Returns the position at a time, and true if the movement has ended there.
  mutating func step(
    at now: Double, from position: ZoomPosition, in geometry: ZoomGeometry
  ) -> (position: ZoomPosition, isOver: Bool) {
    switch course {
    case .glide(let from, let to, let duration):
      let fraction = duration > 0 ? min(1, max(0, now - start) / duration) : 1
      guard fraction < 1 else { return (to, true) }
      return (from.moved(to: to, fraction: TimingCurve.easeInOut.value(at: fraction)), false)
    case .free(var horizontal, var vertical):
      var position = position
      Self.step(&horizontal, &position.offset.x, geometry.horizontalRange(at: position.scale), now)
      Self.step(&vertical, &position.offset.y, geometry.verticalRange(at: position.scale), now)
      course = .free(horizontal: horizontal, vertical: vertical)
      return (position, horizontal == nil && vertical == nil)
    }
  }

  private static func step(
    _ motion: inout ScrollMotion?, _ offset: inout Double, _ range: ClosedRange<Double>, _ now: Double
  ) {
    guard let step = motion?.step(at: now, range: range, bounces: range.lowerBound < range.upperBound) else {
      return
    }
    offset = step.offset
    if step.isOver { motion = nil }
  }
}
