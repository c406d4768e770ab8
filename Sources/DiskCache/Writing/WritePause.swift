import VitrineConcurrency

/// Decides when a cache writes again after a failure, and which faults are new.
struct WritePause {
  /// The number of seconds without writes after a failure that is unlikely to pass.
  static let seconds = 60.0

  /// The fault that last prevented reading or writing; nil if there was none, or a response has been stored since.
  private(set) var fault: DiskImageCache.Fault?
  /// The time in nanoseconds until which nothing is written.
  private var pausedUntil: Int64?
  /// The additional space in bytes for which there was no room, and the time in nanoseconds until which responses that
  /// need as much are not written.
  private var full: (bytes: Int, end: Int64)?

  func isPaused(at now: Int64) -> Bool { pausedUntil.map { now < $0 } ?? false }

  /// Returns true if responses that need this additional space may not be written. A smaller response may have room.
  func isFull(for bytes: Int = .max, at now: Int64) -> Bool {
    full.map { now < $0.end && bytes >= $0.bytes } ?? false
  }

  /// Records a fault of reading, which does not pause writing. Returns true if the fault is new.
  mutating func readFailed(_ fault: DiskImageCache.Fault) -> Bool {
    guard !fault.isTransient else { return false }
    defer { self.fault = fault }
    return self.fault != fault
  }

  /// Records a fault of writing. Returns true if the fault is new.
  mutating func writeFailed(_ fault: DiskImageCache.Fault, at now: Int64) -> Bool {
    guard !fault.isTransient else { return false }
    switch fault {
    // A response may still replace another one; see `lackedSpace(for:at:)`.
    case .diskIsFull: break
    case .ownedByAnotherUser, .writableByOthers, .refused: pausedUntil = now.advanced(bySeconds: Self.seconds)
    }
    return readFailed(fault)
  }

  /// Pauses the writing of responses that need this additional space.
  mutating func lackedSpace(for bytes: Int, at now: Int64) {
    let known = isFull(at: now) ? full?.bytes : nil
    full = (min(bytes, known ?? .max), now.advanced(bySeconds: Self.seconds))
  }

  /// Ends the pause and the fault, because a response was stored.
  mutating func stored() {
    fault = nil
    pausedUntil = nil
  }

  /// Allows responses that need additional space again.
  mutating func foundSpace() { full = nil }
}
