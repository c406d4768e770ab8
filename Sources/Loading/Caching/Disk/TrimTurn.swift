/// Whether a cache may trim while another process holds the lock: a process that is stopped would end it for all others.
struct TrimTurn {
  /// Seconds for which the lock of another process is minded. Two that trim at once remove too much at worst.
  static let patience = 5.0

  /// Nanoseconds of the clock at which the lock was first found to be held.
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
