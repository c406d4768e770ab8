/// The time for which a slide has been shown, without the time of pauses. Times are those of the window, in seconds.
nonisolated struct SlideClock: Hashable {
  private var passed = 0.0
  /// The time from which the clock runs; `nil` while it is paused.
  private var start: Double?

  /// Creates a clock at 0 that runs from a time.
  ///
  /// - Parameter isRunning: False to create a paused clock.
  init(at now: Double, isRunning: Bool) { start = isRunning ? now : nil }

  /// Returns the number of seconds without pauses.
  func elapsed(at now: Double) -> Double { passed + (start.map { max(0, now - $0) } ?? 0) }

  /// Pauses or continues the clock. Does nothing if the clock is in this state already.
  mutating func setRunning(_ isRunning: Bool, at now: Double) {
    guard isRunning != (start != nil) else { return }
    passed = elapsed(at: now)
    start = isRunning ? now : nil
  }

  /// Returns the time at which `seconds` will have elapsed; `nil` while the clock is paused.
  func time(of seconds: Double) -> Double? { start.map { $0 + seconds - passed } }
}
