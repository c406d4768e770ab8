import Glibc

/// The deceleration of a flick: the velocity decreases by a constant factor per millisecond.
///
/// In closed form, so that the motion does not depend on the times of the frames: v(t) = v0·e^(-kt), x(t) = x0 +
/// v0/k·(1 - e^(-kt)), with k = -1000·ln(rate).
package nonisolated struct Deceleration: Hashable, Sendable {
  /// UIKit's normal rate, per millisecond.
  package static let normalRate = 0.998

  /// The position at the start, in points.
  package var start: Double
  /// The velocity at the start, in points per second.
  package var velocity: Double
  private let k: Double

  /// Creates the deceleration of a flick.
  ///
  /// - Parameters:
  ///   - start: The position at the start, in points.
  ///   - velocity: The velocity at the start, in points per second; negative velocities move backwards.
  ///   - rate: The factor by which the velocity decreases per millisecond, between 0 and 1, both excluded.
  package init(start: Double, velocity: Double, rate: Double = normalRate) {
    self.start = start
    self.velocity = velocity
    k = -1000 * log(rate)
  }

  /// The position at which the motion comes to rest, in points.
  package var end: Double { start + velocity / k }

  /// Returns the position, in points, `time` seconds after the start.
  package func position(after time: Double) -> Double { start + velocity / k * (1 - exp(-k * time)) }

  /// Returns the velocity, in points per second, `time` seconds after the start.
  package func velocity(after time: Double) -> Double { velocity * exp(-k * time) }

  /// Returns the time at which the motion passes a position, in seconds after the start; `nil` if the motion does not
  /// reach the position.
  package func time(passing position: Double) -> Double? {
    guard velocity != 0 else { return position == start ? 0 : nil }
    let fraction = (position - start) * k / velocity
    guard fraction >= 0, fraction < 1 else { return nil }
    return -log(1 - fraction) / k
  }
}
