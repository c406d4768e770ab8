/// The resistance of content that a finger pulls beyond an end: the shown distance grows ever more slowly and stays
/// below the length of the view.
package nonisolated enum RubberBand {
  /// UIKit's constant.
  package static let stiffness = 0.55

  /// Returns the distance shown for a distance pulled, in a view with the given length; all in points. `distance` must
  /// be at least 0.
  package static func shown(_ distance: Double, length: Double) -> Double {
    guard length > 0 else { return 0 }
    return (1 - 1 / (distance * stiffness / length + 1)) * length
  }

  /// Returns the distance pulled for a distance shown, the inverse of `shown(_:length:)`.
  package static func pulled(_ shown: Double, length: Double) -> Double {
    guard length > 0, shown < length else { return shown }
    return (1 / (1 - shown / length) - 1) * length / stiffness
  }

  /// Returns the offset shown for the offset that a finger holds. Offsets within `range` are unchanged.
  package static func shown(for heldOffset: Double, range: ClosedRange<Double>, length: Double) -> Double {
    let end = heldOffset.clamped(to: range)
    let distance = shown(abs(heldOffset - end), length: length)
    return heldOffset < end ? end - distance : end + distance
  }

  /// Returns the offset that a finger holds for the offset shown, the inverse of `shown(for:range:length:)`.
  package static func pulled(to shownOffset: Double, range: ClosedRange<Double>, length: Double) -> Double {
    let end = shownOffset.clamped(to: range)
    let distance = pulled(abs(shownOffset - end), length: length)
    return shownOffset < end ? end - distance : end + distance
  }
}
