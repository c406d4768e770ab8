import Glibc

/// The system's monotonic clock.
enum SystemTime {
  /// The number of seconds since a fixed time in the past.
  static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
