/// When the activity of the network is shown: after a delay, so that short requests show nothing, and a moment longer
/// than it lasts, so that requests in a row do not flicker (AF-F55). Pure: the caller brings the time, in seconds.
struct NetworkActivityTiming: Equatable {
  private enum State: Equatable {
    case quiet
    /// Whatever happens until then is not looked at.
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

  /// Whether something is to be seen: from the end of the first delay to that of the second.
  var isVisible: Bool {
    switch state {
    case .quiet, .beginning: false
    case .busy, .ending: true
    }
  }

  /// When `advance` is due; nil while nothing to be seen changes by itself. A first delay in which the requests have
  /// already ended wakes nobody: what follows is told by the next request.
  var deadline: Double? {
    switch state {
    case .beginning(let end): isBusy ? end : nil
    case .ending(let end): end
    case .quiet, .busy: nil
    }
  }

  /// Requests are under way, or none are.
  mutating func change(isBusy: Bool, at now: Double) {
    // What has come to its end since is over before this begins.
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

  /// Time has passed.
  mutating func advance(to now: Double) {
    switch state {
    case .beginning(let end) where hasCome(end, now): state = isBusy ? .busy : .quiet
    case .ending(let end) where hasCome(end, now): state = .quiet
    default: break
    }
  }

  /// A sum of steps may fall short of the time by a rounding error.
  private func hasCome(_ time: Double, _ now: Double) -> Bool { time <= now + 1e-9 }

  /// Nothing is shown any more, whatever is under way.
  mutating func stop() {
    state = .quiet
    isBusy = false
  }
}
