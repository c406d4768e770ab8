/// When the indicator of a slot is seen: after a delay, and then for a while at least. Pure: the caller brings
/// the time, in seconds.
struct IndicatorTiming: Equatable {
  /// Seconds in which it disappears at the end.
  static let fadeOut = 0.15

  private let delay: Double
  private let minimumDuration: Double
  private var loadStart: Double
  private var loadEnd: Double?

  init(delay: Double, minimumDuration: Double, loadStart: Double) {
    self.delay = max(0, delay)
    self.minimumDuration = max(0, minimumDuration)
    self.loadStart = loadStart
  }

  /// The first moment in which it is seen.
  var appears: Double { loadStart + delay }

  /// The picture has come, or never will.
  mutating func end(at now: Double) { if loadEnd == nil { loadEnd = now } }

  /// When it is gone; nil while it loads. Never seen for a load that was over before the delay.
  var disappears: Double? {
    guard let loadEnd else { return nil }
    if loadEnd <= appears { return loadEnd }
    return max(loadEnd + Self.fadeOut, appears + minimumDuration)
  }

  /// 0 unseen … 1 fully seen.
  func opacity(at now: Double) -> Double {
    guard now >= appears else { return 0 }
    guard let disappears else { return 1 }
    return min(1, max(0, (disappears - now) / Self.fadeOut))
  }
}
