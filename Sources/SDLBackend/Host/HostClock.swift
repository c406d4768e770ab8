/// Where a host's time comes from. Times are in seconds since a beginning of the clock's own.
public enum HostClock {
  /// The system's monotonic clock, since the host was made.
  case monotonic
  /// A clock that stands still unless somebody moves it: the host asks it for the time, draws what is due then,
  /// and never sleeps towards a deadline. It must not go backwards.
  case manual(() -> Double)
}
