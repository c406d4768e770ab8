import VitrineConcurrency
import VitrineLoading

/// Decides whether a cache may trim while another process holds the lock. A stopped process would otherwise block
/// trimming for all others.
struct TrimSchedule {
  /// The number of seconds for which a lock of another process is respected. Two processes that trim at once can only
  /// remove too much.
  static let patience = 5.0

  /// The time in nanoseconds at which the lock was first found to be held.
  private var heldSince: Int64?

  mutating func mayTrim(_ lock: Descriptor.Lock, at now: Int64) -> Bool {
    guard case .heldByAnother = lock else {
      heldSince = nil
      return true
    }
    let since = heldSince ?? now
    heldSince = since
    return now >= since.advanced(bySeconds: Self.patience)
  }
}
