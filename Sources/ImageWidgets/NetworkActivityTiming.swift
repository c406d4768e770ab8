/// The visibility of network activity over time: shown after a delay, so that short requests show nothing, and hidden
/// after another delay, so that consecutive requests do not flicker. A pure value: the caller passes the time in
/// seconds.
struct NetworkActivityTiming: Equatable {
  private enum State: Equatable {
    case quiet
    /// The activation delay. Changes of `isBusy` have no effect until it ends.
    case beginning(until: Double)
    case busy
    case ending(until: Double)
  }

  var activationDelay: Double
  var completionDelay: Double
  private var state = State.quiet
  private var isBusy = false

  init(activationDelay: Double, completionDelay: Double) {
    self.activationDelay = max(0, activationDelay)
    self.completionDelay = max(0, completionDelay)
  }

  /// True from the end of the activation delay to the end of the completion delay.
  var isVisible: Bool {
    switch state {
    case .quiet, .beginning: false
    case .busy, .ending: true
    }
  }

  /// The time at which `advance` must be called; `nil` if the visibility does not change without a new event. An
  /// activation delay whose requests have already ended has no deadline: the next request ends it.
  var deadline: Double? {
    switch state {
    case .beginning(let end): isBusy ? end : nil
    case .ending(let end): end
    case .quiet, .busy: nil
    }
  }

  /// Records the start or the end of network activity.
  mutating func change(isBusy: Bool, at now: Double) {
    // A delay that has ended since the last call takes effect first.
    advance(to: now)
    self.isBusy = isBusy
    switch (state, isBusy) {
    case (.quiet, true): state = .beginning(until: now + activationDelay)
    case (.busy, false): state = .ending(until: now + completionDelay)
    case (.ending, true): state = .busy
    default: break
    }
    advance(to: now)
  }

  /// Ends the delays that are over at the time `now`.
  mutating func advance(to now: Double) {
    switch state {
    case .beginning(let end) where hasCome(end, now): state = isBusy ? .busy : .quiet
    case .ending(let end) where hasCome(end, now): state = .quiet
    default: break
    }
  }

  /// Compares with a tolerance, because a sum of time steps may fall short of the time by a rounding error.
  private func hasCome(_ time: Double, _ now: Double) -> Bool { time <= now + 1e-9 }

  /// Hides the activity at once and resets the state.
  mutating func stop() {
    state = .quiet
    isBusy = false
  }
}
