import Synchronization

/// The body of a response that is being received. Reserves memory before more bytes are received.
///
/// Calls come from one thread at a time, except `end()`, which may come from any.
package final class ArrivingBody: Sendable {
  /// A function that runs a closure later, on a thread that holds no lock.
  package typealias Scheduler = @Sendable (@escaping @Sendable () -> Void) -> Void

  /// The reservation of the body's bytes. It outlives the transfer if the bytes do.
  package let reservation: MemoryReservation
  private let ledger: MemoryLedger
  private let schedule: Scheduler
  let number: UInt64
  private let hasWaited = Atomic(false)

  private static let lastNumber = Atomic<UInt64>(0)

  /// - Parameters:
  ///   - reservation: The reservation of the bytes received so far.
  ///   - schedule: Runs `resume` closures on another thread, because the thread that releases memory may hold any lock.
  package init(_ reservation: MemoryReservation, in ledger: MemoryLedger, schedule: @escaping Scheduler) {
    self.reservation = reservation
    self.ledger = ledger
    self.schedule = schedule
    number = Self.lastNumber.add(1, ordering: .relaxed).newValue
  }

  deinit { end() }

  /// Reserves at least `total` bytes, evicting cached memory if necessary.
  ///
  /// Returns false if there is no room. `resume` is then called once, later and on another thread, when the bytes have
  /// been reserved for this body; it is not called if the body ends before. The caller must not hold a lock that a
  /// memory holder needs.
  package func reserve(_ total: Int, orCall resume: @escaping @Sendable () -> Void) -> Bool {
    let missing = total - reservation.bytes
    if missing <= 0 || ledger.reserveForBody(missing, in: reservation, mayExceed: false) { return true }
    hasWaited.store(true, ordering: .relaxed)
    return ledger.waitForMemory(missing, self, schedule: schedule, resume)
  }

  /// Sets the reservation to `bytes`, the size of what has been received. Releases memory that was reserved for a
  /// larger chunk or for moving the bytes to larger storage.
  package func resize(to bytes: Int) { if reservation.bytes != bytes { reservation.resize(to: bytes) } }

  /// Reduces the reservation to at most `bytes`. Never evicts, so it may be called with a lock held.
  package func shrink(to bytes: Int) { if reservation.bytes > bytes { reservation.resize(to: bytes) } }

  /// Ends receiving. The bytes stay reserved until `reservation` ends.
  package func end() { if hasWaited.load(ordering: .relaxed) { ledger.stopWaiting(number, schedule) } }
}
