import VitrineLoading

/// When a transfer has taken too long.
///
/// libcurl watches the time to connect. Its low-speed limit is no use for a stall: it averages over five
/// seconds, so that a limit of 1 s ends a transfer after 7.
struct Deadlines: Sendable {
  private let timeouts: TransportRequest.Timeouts
  private var total: SuspendingClock.Instant?
  /// How long nothing may come; nil for ever.
  private let patience: Duration?
  /// Runs from the time when the request leaves.
  private var stall: SuspendingClock.Instant?
  /// Ends the reading of a body that nobody wants.
  private var rest: SuspendingClock.Instant?
  /// Ends the wait for a connection that another transfer has not got.
  private var connection: SuspendingClock.Instant?

  init(_ timeouts: TransportRequest.Timeouts, startedAt start: SuspendingClock.Instant) {
    self.timeouts = timeouts
    total = Self.span(timeouts.total).map { start.advanced(by: $0) }
    patience = Self.span(timeouts.stall)
  }

  /// The time at which the transfer was paused; nil while it is running.
  private var pausedAt: SuspendingClock.Instant?

  /// Whether `next` has become earlier than what `heard` makes of it.
  var isCutShort: Bool { rest != nil }

  /// The earliest; nil for none.
  var next: SuspendingClock.Instant? {
    pausedAt == nil ? Self.earlier(Self.earlier(total, stall), Self.earlier(rest, connection)) : nil
  }

  private static func earlier(
    _ a: SuspendingClock.Instant?, _ b: SuspendingClock.Instant?
  ) -> SuspendingClock.Instant? {
    guard let a, let b else { return a ?? b }
    return min(a, b)
  }

  /// Which limit `next` is.
  var limit: ImageError.TimeLimit {
    if next == total { return .total(seconds: timeouts.total) }
    return next == connection ? .connect(seconds: timeouts.connect) : .stall(seconds: timeouts.stall)
  }

  /// A byte came, or the request left.
  mutating func heard(at now: SuspendingClock.Instant) {
    connection = nil
    stall = patience.map { now.advanced(by: $0) }
  }

  /// Stops all deadlines until `resume(at:)`, because the receiver has no room for more bytes.
  mutating func pause(at now: SuspendingClock.Instant) { pausedAt = pausedAt ?? now }

  /// Starts the deadlines again.
  mutating func resume(at now: SuspendingClock.Instant) {
    guard let start = pausedAt else { return }
    pausedAt = nil
    total = total?.advanced(by: now - start)
    stall = patience.map { now.advanced(by: $0) }
  }

  /// Allows the rest of a body no more time than this.
  mutating func limitRest(of time: Duration, from now: SuspendingClock.Instant) {
    rest = now.advanced(by: time)
  }

  /// Another transfer has waited in vain for the connection that this one waits for, since then.
  mutating func limitConnecting(since start: SuspendingClock.Instant) {
    connection = Self.span(timeouts.connect).map { start.advanced(by: $0) }
  }

  /// Another request of the same transfer: only the total goes on.
  mutating func beginHop() {
    stall = nil
    rest = nil
    connection = nil
    pausedAt = nil
  }

  /// Seconds as a duration; nil, no limit, for what is not finite or beyond thirty years.
  private static func span(_ seconds: Double) -> Duration? {
    seconds < 1e9 ? .seconds(max(0, seconds)) : nil
  }
}
