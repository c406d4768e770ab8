/// How far content follows a finger that pulls it past its end: ever less, never a whole view's length.
public nonisolated enum RubberBand {
  /// UIKit's constant.
  public static let stiffness = 0.55

  /// Distance shown for a distance pulled, in a view of some length; all in points, `distance` ≥ 0.
  public static func shown(_ distance: Double, length: Double) -> Double {
    guard length > 0 else { return 0 }
    return (1 - 1 / (distance * stiffness / length + 1)) * length
  }

  /// Distance pulled for a distance shown: the inverse.
  public static func pulled(_ shown: Double, length: Double) -> Double {
    guard length > 0, shown < length else { return shown }
    return (1 / (1 - shown / length) - 1) * length / stiffness
  }

  /// The offset shown for the one that a finger holds: the same between the ends, pulled back beyond them.
  public static func shown(for held: Double, range: ClosedRange<Double>, length: Double) -> Double {
    let end = held.clamped(to: range)
    let distance = shown(abs(held - end), length: length)
    return held < end ? end - distance : end + distance
  }

  /// The offset that a finger must hold for the one shown: the inverse.
  public static func pulled(to shown: Double, range: ClosedRange<Double>, length: Double) -> Double {
    let end = shown.clamped(to: range)
    let distance = pulled(abs(shown - end), length: length)
    return shown < end ? end - distance : end + distance
  }
}
