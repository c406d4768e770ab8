import VitrineConcurrency

/// Decides when a cache writes again after a failure, and which faults are new.
struct WritePause {
  /// The number of seconds without writes after a failure that is unlikely to pass.
  static let seconds = 60.0

  /// The fault that last prevented reading or writing; nil if there was none, or a response has been stored since.
  private(set) var fault: DiskImageCache.Fault?
  /// The time in nanoseconds until which nothing is written.
  private var pausedUntil: Int64?
  /// The time in nanoseconds until which responses that need additional space are not written, because the disk was
  /// full.
  private var fullUntil: Int64?

  func isPaused(at now: Int64) -> Bool { pausedUntil.map { now < $0 } ?? false }

  /// Returns true if responses that need additional space may not be written.
  func isFull(at now: Int64) -> Bool { fullUntil.map { now < $0 } ?? false }

  /// Records a fault of reading, which does not pause writing. Returns true if the fault is new.
  mutating func readFailed(_ fault: DiskImageCache.Fault) -> Bool {
    guard !fault.isTransient else { return false }
    defer { self.fault = fault }
    return self.fault != fault
  }

  /// Records a fault of writing. Returns true if the fault is new.
  mutating func writeFailed(_ fault: DiskImageCache.Fault, at now: Int64) -> Bool {
    guard !fault.isTransient else { return false }
    let end = now.advanced(bySeconds: Self.seconds)
    // On a full disk a response may still replace another one.
    if case .diskIsFull = fault { fullUntil = end } else { pausedUntil = end }
    return readFailed(fault)
  }

  /// Ends the pause and the fault, because a response was stored.
  mutating func stored() {
    fault = nil
    pausedUntil = nil
  }

  /// Allows responses that need additional space again.
  mutating func foundSpace() { fullUntil = nil }
}
