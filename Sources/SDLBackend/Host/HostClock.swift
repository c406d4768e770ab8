/// The source of a host's time, in seconds since a start time of the clock.
package enum HostClock {
  /// The system's monotonic clock. Time 0 is the creation of the host.
  case monotonic
  /// A clock that only the program advances. The host calls the closure for the current time, draws the frames that are
  /// due, and never sleeps until a deadline. The time must not go backwards.
  case manual(() -> Double)
}
