import Glibc

/// A critically damped spring: back to rest as fast as it goes without swinging.
///
/// x(t) = (a + (v0 + ω·a)·t)·e^(-ωt), measured from the rest position.
public nonisolated struct Spring: Hashable, Sendable {
  /// Stiffness: after 0.4 s less than 5 % of the way is left.
  public static let frequency = 12.0

  /// Rest position, in points.
  public var target: Double
  /// Distance from the target at the start.
  public var displacement: Double
  /// Points a second at the start.
  public var velocity: Double

  /// A spring let go at `target + displacement`, in points, while it moves by `velocity` points a second.
  public init(target: Double, displacement: Double, velocity: Double) {
    self.target = target
    self.displacement = displacement
    self.velocity = velocity
  }

  /// Position so many seconds after the start.
  public func position(after time: Double) -> Double {
    let slope = velocity + Self.frequency * displacement
    return target + (displacement + slope * time) * exp(-Self.frequency * time)
  }

  /// Velocity so many seconds after the start.
  public func velocity(after time: Double) -> Double {
    let slope = velocity + Self.frequency * displacement
    return (velocity - Self.frequency * slope * time) * exp(-Self.frequency * time)
  }
}
