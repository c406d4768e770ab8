/// The pace of an animation between the start (0) and the end (1).
public nonisolated enum TimingCurve: Hashable, Sendable {
  /// Constant speed.
  case linear
  /// The cubic Bézier curve (0.42, 0) (0.58, 1), Core Animation's easeInEaseOut.
  case easeInOut
  /// The cubic Bézier curve (0.42, 0) (1, 1), slow at the start.
  case easeIn
  /// The cubic Bézier curve (0, 0) (0.58, 1), slow at the end.
  case easeOut

  /// Returns the progress of the animation, 0…1, at a fraction of the duration, for an application's own animations.
  /// Fractions outside 0…1 are clamped.
  public func value(at time: Double) -> Double {
    let time = min(1, max(0, time))
    switch self {
    case .linear: return time
    case .easeInOut: return Self.bezier(x1: 0.42, x2: 0.58, y1: 0, y2: 1, at: time)
    case .easeIn: return Self.bezier(x1: 0.42, x2: 1, y1: 0, y2: 1, at: time)
    case .easeOut: return Self.bezier(x1: 0, x2: 0.58, y1: 0, y2: 1, at: time)
    }
  }

  /// Solves x(t) = `time` by bisection (x increases with t), then returns y(t).
  private static func bezier(x1: Double, x2: Double, y1: Double, y2: Double, at time: Double) -> Double {
    func coordinate(_ a: Double, _ b: Double, _ t: Double) -> Double {
      let s = 1 - t
      return 3 * s * s * t * a + 3 * s * t * t * b + t * t * t
    }
    if time == 0 || time == 1 { return time }
    var low = 0.0
    var high = 1.0
    for _ in 0..<30 {
      let middle = (low + high) / 2
      if coordinate(x1, x2, middle) < time { low = middle } else { high = middle }
    }
    return coordinate(y1, y2, (low + high) / 2)
  }
}
