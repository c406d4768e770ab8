/// The motion of the offset along one axis without a finger: a function of the time since the start.
nonisolated struct ScrollMotion {
  enum Course {
    /// The deceleration after a flick.
    case flick(Deceleration)
    /// The return from beyond an end.
    case spring(Spring)
    /// The movement to an offset by wheel, key or code.
    case glide(from: Double, to: Double, duration: Double, curve: TimingCurve)
  }

  private(set) var course: Course
  private var start: Double

  init(_ course: Course, at start: Double) {
    self.course = course
    self.start = start
  }

  /// Returns the motion after a finger is lifted: a flick, a return from beyond an end, or `nil` for rest.
  static func release(
    at offset: Double, velocity: Double, range: ClosedRange<Double>, now: Double
  ) -> ScrollMotion? {
    guard range.contains(offset) else {
      let target = offset < range.lowerBound ? range.lowerBound : range.upperBound
      let displacement = offset - target
      // A higher velocity towards the end would overshoot into the content.
      let limit = -Spring.frequency * displacement
      let velocity = displacement > 0 ? max(velocity, limit) : min(velocity, limit)
      return ScrollMotion(
        .spring(Spring(target: target, displacement: displacement, velocity: velocity)), at: now)
    }
    guard abs(velocity) > 20 else { return nil }
    return ScrollMotion(.flick(Deceleration(start: offset, velocity: velocity)), at: now)
  }

  /// Returns the offset at a time and whether the motion has ended there.
  mutating func step(
    at now: Double, range: ClosedRange<Double>, bounces: Bool
  ) -> (offset: Double, isOver: Bool) {
    let time = max(0, now - start)
    switch course {
    case .flick(let flick):
      let position = flick.position(after: time)
      guard range.contains(position) else {
        let end = position < range.lowerBound ? range.lowerBound : range.upperBound
        guard bounces else { return (end, true) }
        bounce(at: end, after: flick.time(passing: end) ?? time, velocity: flick.velocity(after:))
        return step(at: now, range: range, bounces: bounces)
      }
      // The last half point of a flick is not visible.
      return abs(flick.end - position) < 0.5 ? (flick.end.clamped(to: range), true) : (position, false)
    case .spring(let spring):
      let position = spring.position(after: time)
      let isOver = abs(position - spring.target) < 0.25 && abs(spring.velocity(after: time)) < 10
      return isOver ? (spring.target.clamped(to: range), true) : (position, false)
    case .glide(let from, let to, let duration, let curve):
      let fraction = duration > 0 ? min(1, time / duration) : 1
      let position = from + (to - from) * curve.value(at: fraction)
      return (position.clamped(to: range), fraction >= 1)
    }
  }

  /// Called when a flick reaches an end: its remaining velocity stretches a spring there.
  private mutating func bounce(at end: Double, after time: Double, velocity: (Double) -> Double) {
    let spring = Spring(target: end, displacement: 0, velocity: velocity(time))
    self = ScrollMotion(.spring(spring), at: start + time)
  }

  /// Returns the velocity that a finger stops by coming down, in points per second. A glide counts as 0, so that a
  /// touch during a glide presses a subview.
  func catchableVelocity(at now: Double) -> Double {
    let time = max(0, now - start)
    switch course {
    case .flick(let flick): return flick.velocity(after: time)
    case .spring(let spring): return spring.velocity(after: time)
    case .glide: return 0
    }
  }

  /// Moves the motion along with content that was moved by a distance, so that the motion continues over the same
  /// content.
  mutating func shift(by distance: Double) {
    switch course {
    case .flick(var flick):
      flick.start += distance
      course = .flick(flick)
    case .spring(var spring):
      spring.target += distance
      course = .spring(spring)
    case .glide(let from, let to, let duration, let curve):
      course = .glide(from: from + distance, to: to + distance, duration: duration, curve: curve)
    }
  }

  /// The destination of a glide; `nil` for other motions.
  var destination: Double? {
    if case .glide(_, let to, _, _) = course { to } else { nil }
  }
}

extension Double {
  nonisolated func clamped(to range: ClosedRange<Double>) -> Double {
    min(range.upperBound, max(range.lowerBound, self))
  }
}
