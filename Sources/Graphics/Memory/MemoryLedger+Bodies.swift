import Synchronization
import VitrineConcurrency

/// The ledger's state for bodies that wait for memory.
struct WaitingBodies {
  struct Entry {
    let reservation: MemoryReservation
    let resume: @Sendable () -> Void
  }

  var line = BodyQueue()
  var entries: [UInt64: Entry] = [:]
  /// Schedules the next attempt to resume waiting bodies on another thread; nil while an attempt is already scheduled.
  var scheduler: ArrivingBody.Scheduler?
}

/// A unit of work, queued or running, that releases memory at the end: a decode or a transform.
///
/// While there is such work, a body waits for memory instead of exceeding the budget. Ends with `end()` or on
/// deinitialization.
package final class MemoryWork: Sendable {
  private let ledger: MemoryLedger
  private let hasEnded = Atomic(false)

  init(in ledger: MemoryLedger) { self.ledger = ledger }

  deinit { end() }

  /// Ends the work. Further calls do nothing.
  package func end() { if !hasEnded.exchange(true, ordering: .relaxed) { ledger.workEnded() } }
}

extension MemoryLedger {
  /// The maximum number of bytes for all bodies that are being received or wait to be decoded: half of the budget. The
  /// other half is left to decodes.
  var bodyLimit: Int { budget / 2 }

  /// True if a body waits for memory.
  package var isBodyWaiting: Bool { hasWaitingBodies.load(ordering: .sequentiallyConsistent) }

  /// Registers queued work that releases memory at its end.
  package func beginWork() -> MemoryWork {
    workCount.wrappingAdd(1, ordering: .sequentiallyConsistent)
    return MemoryWork(in: self)
  }

  fileprivate func workEnded() {
    workCount.wrappingSubtract(1, ordering: .sequentiallyConsistent)
    noteRelease()
  }

  // MARK: Reserving

  /// Reserves `bytes` for a body, evicting cached memory if necessary. With `mayExceed`, the body may exceed
  /// `bodyLimit`, and also the budget if there is no queued work that will release memory.
  func reserveForBody(_ bytes: Int, in reservation: MemoryReservation, mayExceed: Bool) -> Bool {
    guard mayExceed || bytes <= bodyLimit - usage.bodies else {
      askToRelease(bytes, of: .bodies)
      return false
    }
    if reservation.reserve(bytes, force: false) { return true }
    evict(toFit: bytes)
    if reservation.reserve(bytes, force: false) { return true }
    return mayExceed && workCount.load(ordering: .sequentiallyConsistent) == 0
      && reservation.reserve(bytes, force: true)
  }

  /// Adds a body to the queue, unless there is room for the body by now. Returns true if the bytes were reserved.
  func waitForMemory(
    _ bytes: Int, _ body: ArrivingBody, schedule: @escaping ArrivingBody.Scheduler,
    _ resume: @escaping @Sendable () -> Void
  ) -> Bool {
    reservationLock.withLock { _ in
      let mayExceed = waitingBodies.withLock { waiting in
        waiting.line.wait(body.number, for: bytes)
        waiting.entries[body.number] = .init(reservation: body.reservation, resume: resume)
        waiting.scheduler = schedule
        hasWaitingBodies.store(true, ordering: .sequentiallyConsistent)
        return waiting.line.exceeding == body.number
      }
      // Tries again: from here on, a release of memory schedules another attempt.
      guard reserveForBody(bytes, in: body.reservation, mayExceed: mayExceed) else { return false }
      _ = waitingBodies.withLock { removeWaiting(body.number, &$0) }
      return true
    }
  }

  private func removeWaiting(_ number: UInt64, _ waiting: inout WaitingBodies) -> WaitingBodies.Entry? {
    waiting.line.stopWaiting(number)
    hasWaitingBodies.store(waiting.line.isWaiting, ordering: .sequentiallyConsistent)
    return waiting.entries.removeValue(forKey: number)
  }

  /// Removes a body that has ended. Another body may have the right to exceed `bodyLimit` now.
  func stopWaiting(_ number: UInt64, _ schedule: ArrivingBody.Scheduler) {
    waitingBodies.releaseAfterLock { waiting in
      waiting.line.end(number)
      return removeWaiting(number, &waiting)
    }
    noteRelease()
  }

  // MARK: Resuming

  /// Lets waiting bodies try again, on another thread. Called after memory has been released, by a thread that may hold
  /// any lock.
  func noteRelease() {
    guard isBodyWaiting else { return }
    let schedule = waitingBodies.withLock { $0.scheduler.take() }
    schedule? { [weak self] in self?.resumeBodies(schedule) }
  }

  private func resumeBodies(_ schedule: ArrivingBody.Scheduler?) {
    // From here on, a release schedules another attempt.
    let candidates = waitingBodies.withLock { waiting in
      waiting.scheduler = waiting.scheduler ?? schedule
      return waiting.line.candidates
    }
    var resumed: [WaitingBodies.Entry] = []
    reservationLock.withLock { _ in
      for candidate in candidates {
        guard let reservation = waitingBodies.withLock({ $0.entries[candidate.body]?.reservation }),
          reserveForBody(candidate.bytes, in: reservation, mayExceed: candidate.mayExceed)
        else { continue }
        if let entry = waitingBodies.withLock({ removeWaiting(candidate.body, &$0) }) {
          resumed.append(entry)
        } else {
          // The body has ended in the meantime.
          reservation.grow(by: -candidate.bytes)
        }
      }
    }
    for entry in resumed { entry.resume() }
  }
}
