/// The visibility of a slot's indicator over time: hidden for a delay, then visible for at least a minimum duration. A
/// pure value: the caller passes the time in seconds.
struct IndicatorTiming: Equatable {
  /// The duration of the fade-out in seconds.
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

  /// The time at which the indicator appears.
  var appears: Double { loadStart + delay }

  /// Records the end of the load, with or without an image. Further calls do nothing.
  mutating func end(at now: Double) { if loadEnd == nil { loadEnd = now } }

  /// The time at which the fade-out has ended; `nil` during the load. An indicator whose load ends within the delay
  /// never appears.
  var disappears: Double? {
    guard let loadEnd else { return nil }
    if loadEnd <= appears { return loadEnd }
    return max(loadEnd + Self.fadeOut, appears + minimumDuration)
  }

  /// Returns the opacity of the indicator at the time `now`, from 0 to 1.
  func opacity(at now: Double) -> Double {
    guard now >= appears else { return 0 }
    guard let disappears else { return 1 }
    return min(1, max(0, (disappears - now) / Self.fadeOut))
  }
}
