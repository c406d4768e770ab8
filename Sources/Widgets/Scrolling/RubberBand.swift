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
}
