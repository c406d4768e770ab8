import Glibc
public import VitrineWidgets

extension ClockTime {
  /// The current time of day in the time zone of the system, or in that of the environment variable `TZ`.
  public nonisolated static var local: ClockTime {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    var parts = tm()
    // `localtime_r` need not read the time zone itself.
    tzset()
    guard localtime_r(&now.tv_sec, &parts) != nil else { return ClockTime(hour: 0, minute: 0) }
    return ClockTime(
      hour: Int(parts.tm_hour), minute: Int(parts.tm_min),
      second: Double(parts.tm_sec) + Double(now.tv_nsec) / 1e9)
  }
}
