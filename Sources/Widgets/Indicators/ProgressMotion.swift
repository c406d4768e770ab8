/// The animation of a displayed progress towards the reported progress. Has no clock: the caller passes the time in
/// seconds.
nonisolated struct ProgressMotion: Hashable, Sendable {
  /// The duration of the animation in seconds.
  static let duration = 0.25

  /// The reported progress, to which the animation leads; `nil` while unknown.
  private(set) var goal: Double?
  private var origin = 0.0
  private var start = -Double.infinity

  /// Sets the reported progress. NaN counts as unknown; other values are clamped to 0…1. Returns true if the progress
  /// has changed.
  ///
  /// - Parameter animated: True to animate the change. A change from or to an unknown progress is never animated.
  mutating func setProgress(_ progress: Double?, at now: Double, animated: Bool) -> Bool {
    let progress = progress.flatMap { $0.isNaN ? nil : min(1, max(0, $0)) }
    guard progress != goal else { return false }
    if animated, progress != nil, let shown = value(at: now) {
      origin = shown
      start = now
    } else {
      start = -.infinity
    }
    goal = progress
    return true
  }

  /// Returns the displayed progress at a time; `nil` while unknown.
  func value(at now: Double) -> Double? {
    guard let goal, isAnimating(at: now) else { return goal }
    return origin + (goal - origin) * TimingCurve.easeOut.value(at: (now - start) / Self.duration)
  }

  func isAnimating(at now: Double) -> Bool { now < start + Self.duration - 1e-9 }
}
