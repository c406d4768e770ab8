import Glibc

/// The clock of a downloader: the current time, and timers. Tests pass a manual clock, such as `ManualLoadingClock` of
/// VitrineTesting.
public protocol LoadingClock: Sendable {
  /// The time in nanoseconds since an arbitrary start; never goes back.
  var now: Int64 { get }
  /// Calls `body` once, at `time` or soon after, from any thread, and never inside this call.
  func wake(at time: Int64, _ body: @escaping @Sendable () -> Void)
}

/// The system's clock, which goes on while the machine sleeps. The default of a downloader; a `MemoryImageCache` with a
/// lifetime needs the clock to remove expired images by itself.
public struct SystemLoadingClock: LoadingClock {
  /// Creates the clock.
  public init() {}

  /// The time in nanoseconds since the machine was started.
  public var now: Int64 {
    // `ContinuousClock` reads the same clock, and takes several times as long for a `Duration` of 128 bits.
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Calls `body` on a thread that all timers share, so `body` must return quickly. A time in the past counts as now.
  public func wake(at time: Int64, _ body: @escaping @Sendable () -> Void) {
    TimerThread.shared.call(at: time, body)
  }
}

extension Int64 {
  /// Converts seconds to nanoseconds. NaN becomes 0, and more than about a century is clamped.
  package init(nanosecondsIn seconds: Double) {
    self = seconds.isNaN ? 0 : Int64(Swift.min(Swift.max(-3e9, seconds), 3e9) * 1e9)
  }

  /// Returns the time this many seconds later, or `Int64.max` if that overflows.
  package func advanced(bySeconds seconds: Double) -> Int64 {
    let (sum, isTooMuch) = addingReportingOverflow(Int64(nanosecondsIn: seconds))
    return isTooMuch ? .max : sum
  }

  /// Returns the number of seconds from an earlier time to this time; 0 if the clock was set back.
  package func seconds(since earlier: Int64) -> Double {
    let (difference, overflow) = subtractingReportingOverflow(earlier)
    return overflow ? 0 : Double(Swift.max(0, difference)) / 1e9
  }
}
