import VitrineConcurrency

/// Lets one thread trim at a time, and decides whether a cache may trim while another process holds the lock. A stopped
/// process would otherwise block trimming for all others.
struct TrimSchedule {
  /// The number of seconds for which a lock of another process is respected. Two processes that trim at once can only
  /// remove too much.
  static let lockTimeout = 5.0
  /// The maximum time in nanoseconds between two looks at the lock that counts as time for which the lock was held,
  /// because the other process may have released the lock and taken it again.
  private static let longestGap = Int64(nanosecondsIn: lockTimeout / 2)

  private var isTrimming = false
  private var hasTrimmed = false
  /// The time of the last look, which found the lock held by another process, and the time for which the lock has been
  /// held, both in nanoseconds; nil if the last look did not find the lock held.
  private var held: (lastLook: Int64, duration: Int64)?

  /// Returns true if no other thread trims. Then `end` must follow.
  mutating func begin() -> Bool {
    defer { isTrimming = true }
    return !isTrimming
  }

  mutating func end() { isTrimming = false }

  /// Returns true if the folder may be trimmed with this result of locking it.
  mutating func mayTrim(_ lock: Descriptor.Lock, at now: Int64) -> Bool {
    guard case .heldByAnother = lock else {
      held = nil
      return true
    }
    let duration = held.map { $0.duration + min(now - $0.lastLook, Self.longestGap) } ?? 0
    held = (now, duration)
    return duration >= Int64(nanosecondsIn: Self.lockTimeout)
  }

  /// Returns true at the first call.
  mutating func isFirst() -> Bool {
    defer { hasTrimmed = true }
    return !hasTrimmed
  }
}
