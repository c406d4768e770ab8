import Synchronization

/// A body under way, which reserves memory before it takes more bytes.
///
/// Calls come from one thread at a time, except `end()`, which may come from any.
package final class ArrivingBody: Sendable {
  /// Runs a closure later, on a thread that holds no lock.
  package typealias Scheduler = @Sendable (@escaping @Sendable () -> Void) -> Void

  /// Counts the body in the ledger, and outlives the transfer where the bytes do.
  package let hold: MemoryHold
  private let ledger: MemoryLedger
  private let schedule: Scheduler
  let number: UInt64
  private let hasWaited = Atomic(false)

  private static let lastNumber = Atomic<UInt64>(0)

  /// - Parameters:
  ///   - hold: counts what has come of the body before.
  ///   - schedule: carries notifications out of the thread that releases memory, which may hold any lock.
  package init(_ hold: MemoryHold, in ledger: MemoryLedger, schedule: @escaping Scheduler) {
    self.hold = hold
    self.ledger = ledger
    self.schedule = schedule
    number = Self.lastNumber.add(1, ordering: .relaxed).newValue
  }

  deinit { end() }

  /// Makes sure that at least `total` bytes are reserved, evicting what holders can do without.
  ///
  /// Returns false if there is no room. `resume` is then called once, later and on another thread, when the bytes have
  /// been reserved for this body; it is not called if the body ends before. No lock that a memory holder needs may be
  /// held.
  package func reserve(_ total: Int, orCall resume: @escaping @Sendable () -> Void) -> Bool {
    let missing = total - hold.bytes
    if missing <= 0 || ledger.takeForBody(missing, in: hold, mayExceed: false) { return true }
    hasWaited.store(true, ordering: .relaxed)
    return ledger.waitForRoom(missing, self, schedule: schedule, resume)
  }

  /// Counts exactly `bytes`: what has come of the body. Releases what was reserved for a larger chunk or for moving the
  /// bytes to larger storage.
  package func settle(at bytes: Int) {
    if hold.bytes != bytes { hold.keep(bytes) }
  }

  /// Counts no more than `bytes`. Never evicts, so it may be called with a lock held.
  package func shrink(to bytes: Int) {
    if hold.bytes > bytes { hold.keep(bytes) }
  }

  /// The body is no longer under way. Its bytes count until `hold` ends.
  package func end() {
    if hasWaited.load(ordering: .relaxed) { ledger.stopWaiting(number, schedule) }
  }
}
