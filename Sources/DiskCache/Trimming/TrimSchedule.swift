import VitrineConcurrency

/// Lets one thread trim at a time, and decides whether a cache may trim while another process holds the lock. A stopped
/// process would otherwise block trimming for all others.
struct TrimSchedule {
  /// The number of seconds for which a lock of another process is respected. Two processes that trim at once can only
  /// remove too much.
  static let lockTimeout = 5.0

  private var isTrimming = false
  private var hasTrimmed = false
  /// The time in nanoseconds at which the lock was first found to be held.
  private var heldSince: Int64?

  /// Returns true if no other thread trims. Then `end` must follow.
  mutating func begin() -> Bool {
    defer { isTrimming = true }
    return !isTrimming
  }

  mutating func end() { isTrimming = false }

  /// Returns true if the folder may be trimmed with this result of locking it.
  mutating func mayTrim(_ lock: Descriptor.Lock, at now: Int64) -> Bool {
    guard case .heldByAnother = lock else {
      heldSince = nil
      return true
    }
    let since = heldSince ?? now
    heldSince = since
    return now >= since.advanced(bySeconds: Self.lockTimeout)
  }

  /// Returns true at the first call.
  mutating func isFirst() -> Bool {
    defer { hasTrimmed = true }
    return !hasTrimmed
  }
}
