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
    advanced(byNanoseconds: Self.nanoseconds(in: duration))
  }

  /// Returns a later or earlier time, clamped to 73 years from the start.
  func advanced(byNanoseconds count: Int64) -> TransferInstant {
    TransferInstant(nanoseconds: Self.clamped(nanoseconds + Self.clamped(count)))
  }

  /// Returns a later or earlier time, clamped to 73 years from the start.
  func advanced(byMilliseconds count: Int) -> TransferInstant {
    let (nanoseconds, isTooLong) = Int64(count).multipliedReportingOverflow(by: 1_000_000)
    return advanced(byNanoseconds: isTooLong ? (count < 0 ? -Self.limit : Self.limit) : nanoseconds)
  }

  /// Returns the length of a duration, clamped to 73 years. Takes longer than the addition of two times, because a
  /// `Duration` has 128 bits.
  static func nanoseconds(in duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let part = attoseconds / 1_000_000_000  // less than a second
    return isTooLong ? (seconds < 0 ? -limit : limit) : clamped(clamped(whole) + part)
  }

  private static func clamped(_ nanoseconds: Int64) -> Int64 { min(max(nanoseconds, -limit), limit) }

  /// Returns the number of milliseconds until a later time, rounded up; 0 or less for a time that has passed.
  func milliseconds(until later: TransferInstant) -> Int64 {
    let (whole, rest) = (later.nanoseconds - nanoseconds).quotientAndRemainder(dividingBy: 1_000_000)
    return rest > 0 ? whole + 1 : whole
  }

  /// Returns the number of seconds until a later time; negative for an earlier time.
  func seconds(until later: TransferInstant) -> Double { Double(later.nanoseconds - nanoseconds) / 1e9 }

  func duration(to other: TransferInstant) -> Duration { .nanoseconds(other.nanoseconds - nanoseconds) }

  static func + (time: Self, duration: Duration) -> Self { time.advanced(by: duration) }

  static func - (time: Self, duration: Duration) -> Self { time.advanced(by: .zero - duration) }

  static func - (later: Self, earlier: Self) -> Duration { earlier.duration(to: later) }

  static func < (one: Self, other: Self) -> Bool { one.nanoseconds < other.nanoseconds }
}
