import Glibc

/// A throw that slows down: velocity falls by the same factor in each millisecond.
///
/// In closed form, so that the way does not depend on when frames come:
/// v(t) = v0·e^(-kt), x(t) = x0 + v0/k·(1 - e^(-kt)), with k = -1000·ln(rate).
public nonisolated struct Deceleration: Hashable, Sendable {
  /// UIKit's normal rate, a millisecond.
  public static let normalRate = 0.998

  /// Points.
  public var start: Double
  /// Points a second.
  public var velocity: Double
  private let k: Double

  /// A throw that begins at `start`, in points, with a velocity in points a second.
  ///
  /// - Parameters:
  ///   - start: where it begins.
  ///   - velocity: how fast it is then; negative goes back.
  ///   - rate: what is left of the velocity after a millisecond; between 0 and 1, both excluded.
  public init(start: Double, velocity: Double, rate: Double = normalRate) {
    self.start = start
    self.velocity = velocity
    k = -1000 * log(rate)
  }

  /// Where it comes to rest.
  public var end: Double { start + velocity / k }

  /// Position so many seconds after the start.
  public func position(after time: Double) -> Double { start + velocity / k * (1 - exp(-k * time)) }

  /// Velocity so many seconds after the start.
  public func velocity(after time: Double) -> Double { velocity * exp(-k * time) }

  /// When a position is passed, in seconds after the start; nil if it is not reached.
  public func time(passing position: Double) -> Double? {
    guard velocity != 0 else { return position == start ? 0 : nil }
    let share = (position - start) * k / velocity
    guard share >= 0, share < 1 else { return nil }
    return -log(1 - share) / k
  }
}
