import VitrineGraphics

/// The meaning of a touch on a slideshow, judged at its end.
nonisolated enum SlideTouch: Hashable {
  /// A short touch that stayed in its place.
  case tap
  /// A quick horizontal movement to the left, or to the right.
  case flickLeft, flickRight
  /// Any other touch, such as a finger that rested.
  case other

  /// The maximum distance of a tap, and the minimum distance of a flick, in points.
  private static let tapDistance = 10.0
  private static let flickDistance = 40.0
  /// The maximum duration of a tap and of a flick in seconds.
  private static let longestTap = 0.4
  private static let longestFlick = 0.6

  /// - Parameters:
  ///   - distance: The distance from the beginning of the touch to its end, in points.
  ///   - seconds: The duration of the touch.
  init(distance: Point, seconds: Double) {
    let (across, down) = (abs(distance.x), abs(distance.y))
    if max(across, down) <= Self.tapDistance {
      self = seconds <= Self.longestTap ? .tap : .other
    } else if across >= Self.flickDistance, across > 2 * down, seconds <= Self.longestFlick {
      self = distance.x < 0 ? .flickLeft : .flickRight
    } else {
      self = .other
    }
  }
}
