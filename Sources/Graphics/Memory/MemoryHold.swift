import Synchronization

/// Bytes that count in a ledger until `end()`, or until nobody holds this any more.
package final class MemoryHold: Sendable {
  let ledger: MemoryLedger
  private let account: MemoryLedger.Account
  private let held: Atomic<Int>

  /// Counts bytes at once.
  package init(_ bytes: Int, in ledger: MemoryLedger, as account: MemoryLedger.Account) {
    self.ledger = ledger
    self.account = account
    held = Atomic(bytes)
    ledger.add(bytes, to: account)
  }

  deinit { end() }

  /// Counts more.
  package func grow(by bytes: Int) {
    held.wrappingAdd(bytes, ordering: .relaxed)
    ledger.add(bytes, to: account)
  }

  /// Counts so many more if they fit, or in any case; whether it does. Nobody is asked to let go, so that a lock may be
  /// held.
  package func take(_ bytes: Int, inAnyCase: Bool) -> Bool {
    guard ledger.take(bytes, for: account, inAnyCase: inAnyCase) else { return false }
    held.wrappingAdd(bytes, ordering: .relaxed)
    return true
  }

  /// Reserves `bytes` more if the ledger's total then exceeds the budget by at most `overdraft`. Returns true if the
  /// bytes were reserved. Never evicts, so it may be called with a lock held.
  package func take(_ bytes: Int, overdraft: Int) -> Bool {
    guard ledger.take(bytes, for: account, overdraft: overdraft) else { return false }
    held.wrappingAdd(bytes, ordering: .relaxed)
    return true
  }

  /// The budget of the ledger, in bytes.
  package var budget: Int { ledger.budget }
  /// The part of the budget that is not reserved, in bytes; 0 if the budget is exceeded.
  package var available: Int { max(0, ledger.budget - max(0, ledger.usage.total)) }

  /// Asks holders to let go of what is missing for so many bytes more; no lock that they need may be held.
  package func makeRoom(for bytes: Int) { ledger.makeRoom(for: bytes) }

  /// What is counted now.
  package var bytes: Int { held.load(ordering: .relaxed) }

  /// Counts so many from now on. More than before makes holders let go, so that no lock that they need may be held.
  package func keep(_ bytes: Int) {
    let before = held.exchange(bytes, ordering: .relaxed)
    ledger.add(bytes - before, to: account)
  }

  /// Counts `bytes` as shown: moved from this reservation as far as it suffices. Never evicts.
  func moveToShown(_ bytes: Int) {
    let moved = max(0, min(bytes, self.bytes))
    held.wrappingSubtract(moved, ordering: .relaxed)
    ledger.move(moved, from: account, to: .shown)
    _ = ledger.take(bytes - moved, for: .shown, inAnyCase: true)
  }

  /// Counts nothing any more. A second call does nothing.
  package func end() { keep(0) }
}
