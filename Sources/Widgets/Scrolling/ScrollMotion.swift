/// How the offset moves by itself on one axis: a function of the time since it began.
nonisolated struct ScrollMotion {
  enum Course {
    /// Thrown by a finger.
    case flick(Deceleration)
    /// Back from beyond an end.
    case spring(Spring)
    /// To a place, by wheel, key or program.
    case glide(from: Double, to: Double, duration: Double, curve: TimingCurve)
  }

  private(set) var course: Course
  private var start: Double

  init(_ course: Course, at start: Double) {
    self.course = course
    self.start = start
  }

  /// What a released finger leaves behind: a throw, a way back from beyond the end, or nothing.
  static func release(
    at offset: Double, velocity: Double, range: ClosedRange<Double>, now: Double
  ) -> ScrollMotion? {
    guard range.contains(offset) else {
      let target = offset < range.lowerBound ? range.lowerBound : range.upperBound
      let displacement = offset - target
      // Faster than this towards the end it would swing past it, into the content.
      let limit = -Spring.frequency * displacement
      let velocity = displacement > 0 ? max(velocity, limit) : min(velocity, limit)
      return ScrollMotion(
        .spring(Spring(target: target, displacement: displacement, velocity: velocity)), at: now)
    }
    guard abs(velocity) > 20 else { return nil }
    return ScrollMotion(.flick(Deceleration(start: offset, velocity: velocity)), at: now)
  }

  /// The offset at a time, and whether it stays there.
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
        hit(end, after: flick.time(passing: end) ?? time, velocity: flick.velocity(after:))
        return step(at: now, range: range, bounces: bounces)
      }
      // Half a point before its end nobody sees the rest.
      return abs(flick.end - position) < 0.5 ? (flick.end.clamped(to: range), true) : (position, false)
    case .spring(let spring):
      let position = spring.position(after: time)
      let isOver = abs(position - spring.target) < 0.25 && abs(spring.velocity(after: time)) < 10
      return isOver ? (spring.target.clamped(to: range), true) : (position, false)
    case .glide(let from, let to, let duration, let curve):
      let share = duration > 0 ? min(1, time / duration) : 1
      let position = from + (to - from) * curve.value(at: share)
      return (position.clamped(to: range), share >= 1)
    }
  }

  /// The throw has reached an end: what is left of it stretches the spring there.
  private mutating func hit(_ end: Double, after time: Double, velocity: (Double) -> Double) {
    let spring = Spring(target: end, displacement: 0, velocity: velocity(time))
    self = ScrollMotion(.spring(spring), at: start + time)
  }

  /// How fast a finger that comes down now would find it; nothing for a glide, which nobody catches.
  func catchableVelocity(at now: Double) -> Double {
    let time = max(0, now - start)
    switch course {
    case .flick(let flick): return flick.velocity(after: time)
    case .spring(let spring): return spring.velocity(after: time)
    case .glide: return 0
    }
  }

  /// Where a glide goes; nil for the others.
  var destination: Double? {
    if case .glide(_, let to, _, _) = course { to } else { nil }
  }
}

extension Double {
  nonisolated func clamped(to range: ClosedRange<Double>) -> Double {
    min(range.upperBound, max(range.lowerBound, self))
  }
}
