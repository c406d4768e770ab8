import Synchronization

/// A reservation of memory in a ledger. Ends with `end()` or on deinitialization.
///
/// May be used from any thread.
package final class MemoryReservation: Sendable {
  package let ledger: MemoryLedger
  private let account: MemoryLedger.Account
  private let reserved: Atomic<Int>

  /// Reserves `bytes` without checking the budget first. Evicts if the total then exceeds the budget, so the caller
  /// must not hold a lock that a memory holder needs.
  package init(_ bytes: Int, in ledger: MemoryLedger, as account: MemoryLedger.Account) {
    self.ledger = ledger
    self.account = account
    reserved = Atomic(bytes)
    ledger.add(bytes, to: account)
  }

  /// Takes over bytes that are counted in the ledger already.
  private init(takingOver bytes: Int, in ledger: MemoryLedger, as account: MemoryLedger.Account) {
    self.ledger = ledger
    self.account = account
    reserved = Atomic(bytes)
  }

  deinit { end() }

  /// Returns a new reservation of up to `bytes` of the bytes of this one, which keeps the rest. The ledger's total stays
  /// the same.
  package func split(_ bytes: Int) -> MemoryReservation {
    let moved = max(0, min(bytes, self.bytes))
    reserved.wrappingSubtract(moved, ordering: .relaxed)
    return MemoryReservation(takingOver: moved, in: ledger, as: account)
  }

  /// Adds all bytes of another reservation to this one. The ledger's total stays the same.
  ///
  /// - Parameter other: A reservation in the same ledger, which has 0 bytes afterwards.
  package func takeOver(_ other: MemoryReservation) {
    precondition(other.ledger === ledger, "reservations in one ledger")
    let moved = other.reserved.exchange(0, ordering: .relaxed)
    reserved.wrappingAdd(moved, ordering: .relaxed)
    ledger.move(moved, from: other.account, to: account)
  }

  /// Reserves `bytes` more without checking the budget first; a negative number releases memory. Evicts if the total
  /// then exceeds the budget, so the caller must not hold a lock that a memory holder needs.
  package func grow(by bytes: Int) {
    reserved.wrappingAdd(bytes, ordering: .relaxed)
    ledger.add(bytes, to: account)
  }

  /// Reserves `bytes` more if they fit the budget, or always if `force` is true. Returns true if the bytes were
  /// reserved. Never evicts, so it may be called with a lock held.
  package func reserve(_ bytes: Int, force: Bool) -> Bool {
    guard ledger.reserve(bytes, for: account, force: force) else { return false }
    reserved.wrappingAdd(bytes, ordering: .relaxed)
    return true
  }

  /// Reserves `bytes` more if the ledger's total then exceeds the budget by at most `overdraft`. Returns true if the
  /// bytes were reserved. Never evicts, so it may be called with a lock held.
  package func reserve(_ bytes: Int, overdraft: Int) -> Bool {
    guard ledger.reserve(bytes, for: account, overdraft: overdraft) else { return false }
    reserved.wrappingAdd(bytes, ordering: .relaxed)
    return true
  }

  /// The budget of the ledger, in bytes.
  package var budget: Int { ledger.budget }
  /// The part of the budget that is not reserved, in bytes; 0 if the budget is exceeded.
  package var available: Int { max(0, ledger.budget - max(0, ledger.usage.total)) }

  /// Asks memory holders to evict until `bytes` more fit the budget. The caller must not hold a lock that a memory
  /// holder needs.
  ///
  /// - Parameter spared: A holder that is not asked; `nil`, the default, for none.
  package func evict(toFit bytes: Int, sparing spared: (any MemoryHolder)? = nil) {
    ledger.evict(toFit: bytes, sparing: spared)
  }

  /// The number of reserved bytes.
  package var bytes: Int { reserved.load(ordering: .relaxed) }

  /// Sets the reservation to `bytes`. Growing may evict; the caller must then hold no lock that a memory holder needs.
  package func resize(to bytes: Int) {
    let before = reserved.exchange(bytes, ordering: .relaxed)
    ledger.add(bytes - before, to: account)
  }

  /// Counts `bytes` as shown. Takes as many as possible from this reservation and counts the rest in addition. Never
  /// evicts.
  func moveToShown(_ bytes: Int) {
    let moved = max(0, min(bytes, self.bytes))
    reserved.wrappingSubtract(moved, ordering: .relaxed)
    ledger.move(moved, from: account, to: .shown)
    _ = ledger.reserve(bytes - moved, for: .shown, force: true)
  }

  /// Releases the whole reservation. Further calls do nothing.
  package func end() { resize(to: 0) }
}
