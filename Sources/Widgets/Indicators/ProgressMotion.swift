/// How a progress that is shown follows the one that is reported. Pure: the caller brings the time, in seconds.
nonisolated struct ProgressMotion: Hashable, Sendable {
  /// Seconds in which it gets there.
  static let duration = 0.25

  /// Where it is going; nil while the progress is not known.
  private(set) var goal: Double?
  private var origin = 0.0
  private var start = -Double.infinity

  /// Reports a progress; what is no number counts as unknown, and the rest is pinned to 0…1. Whether that is news.
  ///
  /// - Parameter animated: whether it goes there in a while; it does not from or to the unknown.
  mutating func go(to progress: Double?, at now: Double, animated: Bool) -> Bool {
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

  /// What is shown at a time.
  func value(at now: Double) -> Double? {
    guard let goal, isUnderWay(at: now) else { return goal }
    return origin + (goal - origin) * TimingCurve.easeOut.value(at: (now - start) / Self.duration)
  }

  func isUnderWay(at now: Double) -> Bool { now < start + Self.duration - 1e-9 }
}
