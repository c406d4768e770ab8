/// How short memory is.
public enum MemoryPressure: Int, Hashable, Comparable, Sendable, CaseIterable {
  /// What is cheap to come by again should go.
  case warning
  /// Everything should go that is not needed this moment.
  case critical

  /// By severity.
  public static func < (a: MemoryPressure, b: MemoryPressure) -> Bool { a.rawValue < b.rawValue }
}

/// Who holds memory that it can do without, and counts it in a `MemoryLedger`: a cache of pictures, textures.
///
/// Called from any thread, and never with a lock of the ledger held. Whoever lives on another thread starts the
/// work there and returns.
public protocol MemoryHolder: AnyObject, Sendable {
  /// Counts what it holds in `ledger` from now on, registers there, and counts nothing in another one any more.
  func count(against ledger: MemoryLedger)
  /// Lets go of as much as there is of so many bytes, what is needed least first.
  func release(bytes: Int)
  /// Memory is short, of the machine or of what the process may use of it.
  func relieve(_ pressure: MemoryPressure)
}
