import VitrineConcurrency
import VitrineLoading

/// The time limits of a transfer.
///
/// libcurl enforces only the limit for connecting, and may need `connectCheck` for that. Its low-speed limit is not
/// used for stalls: it averages over five seconds, so that a limit of 1 s ends a transfer after 7 s.
struct Deadlines: Sendable {
  private let timeouts: TransportRequest.Timeouts
  private var total: TransferInstant?
  /// The maximum time without any bytes, and the maximum time to connect, in nanoseconds; `nil` for no limit.
  private let stallLimit, connectLimit: Int64?
  /// The end of the stall limit, which starts when the request is sent.
  private var stall: TransferInstant?
  /// The end of the time for reading a body that will be discarded.
  private var discard: TransferInstant?
  /// The end of the time to connect, set once another transfer has failed to open the connection that this transfer
  /// waits for.
  private var connection: TransferInstant?

  /// The time at which libcurl is asked to check the limit for connecting; `nil` once the request is sent.
  ///
  /// When libcurl before 8.4 handles one timer of a transfer, it drops the transfer's timers of the next millisecond as
  /// well. Without the timer of the limit for connecting, libcurl may not look at the transfer again.
  private var connectCheck: TransferInstant?
  /// The nanoseconds from the end of the limit to the check, because the limit starts when libcurl begins the transfer.
  private static let checkDelay: Int64 = 100_000_000

  init(_ timeouts: TransportRequest.Timeouts, startedAt start: TransferInstant) {
    self.timeouts = timeouts
    total = Self.nanoseconds(timeouts.total).map { start.advanced(byNanoseconds: $0) }
    stallLimit = Self.nanoseconds(timeouts.stall)
    connectLimit = Self.nanoseconds(timeouts.connect)
  }

  /// The time at which the transfer was paused; nil while it is running.
  private var pausedAt: TransferInstant?

  /// True if the time for discarding a body is limited, so that `next` may have moved to an earlier time.
  var hasDiscardLimit: Bool { discard != nil }

  /// The earliest deadline; `nil` if there is none or the transfer is paused.
  var next: TransferInstant? {
    pausedAt == nil ? Self.earlier(Self.earlier(total, stall), Self.earlier(discard, connection)) : nil
  }

  /// The earlier of `next` and the time to check the limit for connecting.
  var nextWake: TransferInstant? { Self.earlier(next, connectCheck) }

  private static func earlier(
    _ a: TransferInstant?, _ b: TransferInstant?
  ) -> TransferInstant? {
    guard let a, let b else { return a ?? b }
    return min(a, b)
  }

  /// The limit that is exceeded when `next` is reached.
  var limit: ImageError.TimeLimit {
    if next == total { return .total(seconds: timeouts.total) }
    return next == connection ? .connect(seconds: timeouts.connect) : .stall(seconds: timeouts.stall)
  }

  /// Restarts the stall limit because bytes arrived or the request was sent.
  mutating func received(at now: TransferInstant) {
    connection = nil
    connectCheck = nil
    stall = stallLimit.map { now.advanced(byNanoseconds: $0) }
  }

  /// Suspends all deadlines until `resume(at:)`, because the receiver has no room for more bytes.
  mutating func pause(at now: TransferInstant) { pausedAt = pausedAt ?? now }

  /// Resumes the deadlines: extends the total limit by the length of the pause and restarts the stall limit.
  mutating func resume(at now: TransferInstant) {
    guard let start = pausedAt else { return }
    pausedAt = nil
    total = total?.advanced(by: now - start)
    stall = stallLimit.map { now.advanced(byNanoseconds: $0) }
  }

  /// Limits the time for reading the rest of a body that will be discarded.
  mutating func limitDiscarding(to time: Duration, from now: TransferInstant) {
    discard = now.advanced(by: time)
  }

  /// Limits the time to connect, counted from `start`, because another transfer failed to open the connection that this
  /// transfer is waiting for.
  mutating func limitConnecting(since start: TransferInstant) {
    connection = connectLimit.map { start.advanced(byNanoseconds: $0) }
  }

  /// Notes that a request is passed to libcurl, which then connects or waits for a connection.
  mutating func beginConnecting(at now: TransferInstant) {
    connectCheck = connectLimit.map { now.advanced(byNanoseconds: $0 + Self.checkDelay) }
  }

  /// Returns true if libcurl must check the limit for connecting now. The next check follows after the same time,
  /// because a transfer that has waited for a connection may only now begin to connect.
  mutating func takeConnectCheck(at now: TransferInstant) -> Bool {
    guard let time = connectCheck, time <= now else { return false }
    beginConnecting(at: now)
    return true
  }

  /// Clears all limits except the total limit, before the next request of the transfer.
  mutating func beginHop() {
    stall = nil
    discard = nil
    connection = nil
    connectCheck = nil
    pausedAt = nil
  }

  /// Converts the seconds of a limit. Returns `nil`, no limit, for NaN and for 10⁹ seconds (32 years) or more.
  private static func nanoseconds(_ seconds: Double) -> Int64? {
    seconds < 1e9 ? Int64(nanosecondsIn: max(0, seconds)) : nil
  }
}
