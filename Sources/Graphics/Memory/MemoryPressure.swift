/// The severity of a memory shortage.
public enum MemoryPressure: Int, Hashable, Comparable, Sendable, CaseIterable {
  /// Memory that is cheap to restore should be released.
  case warning
  /// All memory that is not needed at this moment should be released.
  case critical

  /// Orders by severity.
  public static func < (a: MemoryPressure, b: MemoryPressure) -> Bool { a.rawValue < b.rawValue }
}

/// An owner of memory that can be released on demand, such as an image cache or a texture store. Counts its memory in a
/// `MemoryLedger`.
///
/// The methods are called from any thread, without a lock of the ledger held. A holder that is bound to another thread
/// schedules the work on that thread and returns.
package protocol MemoryHolder: AnyObject, Sendable {
  /// Counts the holder's memory in `ledger` from now on, registers there, and stops counting in a previous ledger.
  func count(against ledger: MemoryLedger)
  /// Evicts up to `bytes` bytes, the least needed memory first.
  func release(bytes: Int)
  /// Handles a memory shortage of the machine or of the process's memory limit.
  func handlePressure(_ pressure: MemoryPressure)
}
