import Glibc

/// A critically damped spring: the fastest return to rest without oscillation.
///
/// x(t) = (a + (v0 + ω·a)·t)·e^(-ωt), relative to the rest position, with a = `displacement` and v0 = `velocity`.
package nonisolated struct Spring: Hashable, Sendable {
  /// The angular frequency ω in 1/s. After 0.4 s, less than 5 % of the displacement is left.
  package static let frequency = 12.0

  /// The rest position, in points.
  package var target: Double
  /// The distance from the rest position at the start, in points.
  package var displacement: Double
  /// The velocity at the start, in points per second.
  package var velocity: Double

  /// Creates a spring released at `target + displacement`, in points, with a velocity in points per second.
  package init(target: Double, displacement: Double, velocity: Double) {
    self.target = target
    self.displacement = displacement
    self.velocity = velocity
  }

  /// Returns the position, in points, `time` seconds after the start.
  package func position(after time: Double) -> Double {
    let slope = velocity + Self.frequency * displacement
    return target + (displacement + slope * time) * exp(-Self.frequency * time)
  }

  /// Returns the velocity, in points per second, `time` seconds after the start.
  package func velocity(after time: Double) -> Double {
    let slope = velocity + Self.frequency * displacement
    return (velocity - Self.frequency * slope * time) * exp(-Self.frequency * time)
  }
}
