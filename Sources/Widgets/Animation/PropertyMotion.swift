/// The motion of a property from one value to another: a function of the time since its first frame.
///
/// A value has up to four numbers, which move independently; see `AnimatedProperty`.
nonisolated struct PropertyMotion {
  /// A value as numbers; those that are not used are 0.
  typealias Lanes = SIMD4<Double>

  enum Timing: Hashable {
    case curve(TimingCurve, duration: Double)
    case spring(SpringTiming)

    /// True if the motion takes time.
    var isAnimated: Bool {
      switch self {
      case .curve(_, let duration): duration > 0 && duration.isFinite
      case .spring(let spring): spring.isAnimated
      }
    }
  }

  /// A moment of the motion.
  enum Moment: Hashable {
    /// The delay lasts until the given time.
    case waiting(until: Double)
    /// The motion has reached the value.
    case moving(Lanes)
    /// The motion has ended at `end`.
    case over
  }

  let start, end: Lanes
  let timing: Timing
  /// The time from the first frame to the start of the motion, in seconds.
  let delay: Double
  /// The distance from the end at which a spring is at rest.
  let tolerance: Double
  /// The velocity at the start, in units per second, which springs continue.
  let velocity: Lanes
  /// The time of the first frame; `nil` before it.
  private(set) var startTime: Double?
  /// The time of the last step; `nil` before the first frame.
  private(set) var lastTime: Double?

  /// - Parameter startTime: The time of the first frame, if the motion replaces a running one; `nil` to begin with the
  ///   next frame.
  init(
    from start: Lanes, to end: Lanes, timing: Timing, delay: Double = 0, tolerance: Double,
    velocity: Lanes = .zero, startTime: Double? = nil
  ) {
    self.start = start
    self.end = end
    self.timing = timing
    self.delay = delay > 0 && delay.isFinite ? delay : 0
    self.tolerance = tolerance
    self.velocity = velocity
    self.startTime = startTime
  }

  /// True if the property has to move. False also if a number is not finite.
  var isNeeded: Bool {
    guard (start - start) == .zero, (end - end) == .zero, (velocity - velocity) == .zero else { return false }
    if case .spring = timing, velocity != .zero { return true }
    return start != end
  }

  /// Returns the moment of a frame.
  mutating func step(at now: Double) -> Moment {
    let startTime = startTime ?? now
    self.startTime = startTime
    lastTime = now
    let time = now - startTime - delay
    // The tolerances correct rounding errors in the differences of times.
    guard time >= -1e-9 else { return .waiting(until: startTime + delay) }
    guard timing.isAnimated else { return .over }
    switch timing {
    case .curve(let curve, let duration):
      let fraction = time / duration
      guard fraction < 1 - 1e-9 else { return .over }
      return .moving(start + (end - start) * curve.value(at: fraction))
    case .spring(let spring):
      let state = spring.state(after: max(0, time))
      let displacement = displacement(in: state)
      let isAtRest =
        displacement.isWithin(tolerance)
        && velocity(in: state).isWithin(tolerance * spring.frequency)
      return isAtRest ? .over : .moving(end + displacement)
    }
  }

  /// The velocity at the last step, in units per second.
  var lastVelocity: Lanes {
    guard let startTime, let lastTime, lastTime >= startTime + delay else { return .zero }
    let time = lastTime - startTime - delay
    switch timing {
    case .curve(let curve, let duration):
      // The difference quotient is exact enough for a velocity.
      let fraction = (time / duration).clamped(to: 0...1)
      let (before, after) = (max(0, fraction - 0.001), min(1, fraction + 0.001))
      let slope = (curve.value(at: after) - curve.value(at: before)) / (after - before)
      return (end - start) * (slope / duration)
    case .spring(let spring): return velocity(in: spring.state(after: time))
    }
  }

  private func displacement(in state: SpringState) -> Lanes {
    (start - end) * state.ofDisplacement + velocity * state.ofVelocity
  }

  private func velocity(in state: SpringState) -> Lanes {
    (start - end) * state.rateOfDisplacement + velocity * state.rateOfVelocity
  }
}

extension SIMD4<Double> {
  fileprivate nonisolated func isWithin(_ distance: Double) -> Bool {
    all(self .<= SIMD4(repeating: distance)) && all(self .>= SIMD4(repeating: -distance))
  }
}
