/// The order in which the frames of an animation are shown.
public enum PlaybackMode: Hashable, Sendable, CaseIterable {
  /// From the first frame to the last.
  case forward
  /// From the last frame to the first.
  case reverse
  /// From the first frame to the last and back. The frames at both ends are shown once in each loop.
  case bounce
  /// From the last frame to the first and back. The frames at both ends are shown once in each loop.
  case reverseBounce

  /// The mode in which an animation is played while later frames are missing: up to the first turn.
  var untilFirstTurn: PlaybackMode {
    switch self {
    case .forward, .bounce: .forward
    case .reverse, .reverseBounce: .reverse
    }
  }
}
