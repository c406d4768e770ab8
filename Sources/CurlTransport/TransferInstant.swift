import Glibc

/// A time of the system's monotonic clock, which stands still while the machine is suspended.
///
/// `SuspendingClock.Instant` has a size that is known only at run time, so each copy of a value that contains one calls
/// the runtime. The state of a transfer contains several, and is read for each header line.
struct TransferInstant: Hashable, Comparable, Sendable {
  /// The nanoseconds since an arbitrary start, from -2⁶¹ to 2⁶¹: 73 years each way.
  private let nanoseconds: Int64

  private static let limit: Int64 = 1 << 61

  static var now: TransferInstant {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return TransferInstant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  /// Returns a later or earlier time, clamped to 73 years from the start.
  func advanced(by duration: Duration) -> TransferInstant {
    let (seconds, attoseconds) = duration.components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let limit = seconds < 0 ? -Self.limit : Self.limit
    let part = attoseconds / 1_000_000_000  // less than a second
    guard !overflow, abs(whole) <= Self.limit else { return TransferInstant(nanoseconds: limit) }
    let sum = nanoseconds + whole + part
    return TransferInstant(nanoseconds: min(max(sum, -Self.limit), Self.limit))
  }

  func duration(to other: TransferInstant) -> Duration { .nanoseconds(other.nanoseconds - nanoseconds) }

  static func + (time: Self, duration: Duration) -> Self { time.advanced(by: duration) }

  static func - (time: Self, duration: Duration) -> Self { time.advanced(by: .zero - duration) }

  static func - (later: Self, earlier: Self) -> Duration { earlier.duration(to: later) }

  static func < (one: Self, other: Self) -> Bool { one.nanoseconds < other.nanoseconds }
}
