import VitrineGraphics

/// Time as a downloader sees it: what time it is, and a call when it is later. A manual one holds the world still in
/// tests.
public protocol LoadingClock: Sendable {
  /// Nanoseconds since some time in the past; never goes back.
  var now: Int64 { get }
  /// Calls `body` once, at `time` or soon after, from any thread, and never inside this call.
  func wake(at time: Int64, _ body: @escaping @Sendable () -> Void)
}

/// The system's clock, which goes on while the machine sleeps.
public struct SystemLoadingClock: LoadingClock {
  /// The one there is.
  public init() {}

  /// Nanoseconds since the process first asked for it.
  public var now: Int64 { Trace.systemTime() }

  /// Calls `body` from a thread that all of them share, so it returns soon. A time that has passed is now.
  public func wake(at time: Int64, _ body: @escaping @Sendable () -> Void) {
    WakeThread.shared.call(at: time, body)
  }
}

extension Int64 {
  /// Seconds in nanoseconds; NaN counts as 0, and more than a century as a century.
  init(nanosecondsIn seconds: Double) {
    self = seconds.isNaN ? 0 : Int64(Swift.min(Swift.max(-3e9, seconds), 3e9) * 1e9)
  }

  /// This many nanoseconds later, or as late as can be told.
  func advanced(bySeconds seconds: Double) -> Int64 {
    let (sum, isTooMuch) = addingReportingOverflow(Int64(nanosecondsIn: seconds))
    return isTooMuch ? .max : sum
  }
}
