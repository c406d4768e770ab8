import Synchronization

/// What a ledger knows of bodies that wait for memory.
struct WaitingBodies {
  struct Entry {
    let hold: MemoryHold
    let resume: @Sendable () -> Void
  }

  var line = BodyLine()
  var entries: [UInt64: Entry] = [:]
  /// Carries the next look at the line to another thread; nil while one is on its way.
  var scheduler: ArrivingBody.Scheduler?
}

/// Work that is queued or runs, and that releases memory when it ends: a decode, a transform.
///
/// While there is any, a body waits for the memory rather than exceed the budget. Ends with `end()`, or when it is
/// released.
package final class MemoryWork: Sendable {
  private let ledger: MemoryLedger
  private let isOver = Atomic(false)

  init(in ledger: MemoryLedger) { self.ledger = ledger }

  deinit { end() }

  /// The work is over; a second call does nothing.
  package func end() {
    if !isOver.exchange(true, ordering: .relaxed) { ledger.workEnded() }
  }
}

extension MemoryLedger {
  /// Bytes that bodies on their way, and those that wait to be decoded, may take together: half of the budget. The rest
  /// is left to the decodes that turn them into images.
  var bodyShare: Int { budget / 2 }

  /// True if a body waits for memory.
  package var isBodyWaiting: Bool { bodiesWait.load(ordering: .sequentiallyConsistent) }

  /// Notes that work has been queued which releases memory at its end.
  package func beginWork() -> MemoryWork {
    work.wrappingAdd(1, ordering: .sequentiallyConsistent)
    return MemoryWork(in: self)
  }

  fileprivate func workEnded() {
    work.wrappingSubtract(1, ordering: .sequentiallyConsistent)
    noteRelease()
  }

  // MARK: Reserving

  /// Reserves `bytes` for a body, evicting what holders can do without. `mayExceed` lets the body pass the bodies' share,
  /// and the budget where no queued work is going to release memory.
  func takeForBody(_ bytes: Int, in hold: MemoryHold, mayExceed: Bool) -> Bool {
    guard mayExceed || bytes <= bodyShare - usage.bodies else { return false }
    if hold.take(bytes, inAnyCase: false) { return true }
    makeRoom(for: bytes)
    if hold.take(bytes, inAnyCase: false) { return true }
    return mayExceed && work.load(ordering: .sequentiallyConsistent) == 0 && hold.take(bytes, inAnyCase: true)
  }

  /// Puts a body into the line, unless there is room for it after all. Returns whether there is.
  func waitForRoom(
    _ bytes: Int, _ body: ArrivingBody, schedule: @escaping ArrivingBody.Scheduler,
    _ resume: @escaping @Sendable () -> Void
  ) -> Bool {
    turns.withLock { _ in
      let mayExceed = waitingBodies.withLock { waiting in
        waiting.line.wait(body.number, for: bytes)
        waiting.entries[body.number] = .init(hold: body.hold, resume: resume)
        waiting.scheduler = schedule
        bodiesWait.store(true, ordering: .sequentiallyConsistent)
        return waiting.line.exceeding == body.number
      }
      // Looked for again now that a release is noticed.
      guard takeForBody(bytes, in: body.hold, mayExceed: mayExceed) else { return false }
      _ = waitingBodies.withLock { takeOut(body.number, &$0) }
      return true
    }
  }

  private func takeOut(_ number: UInt64, _ waiting: inout WaitingBodies) -> WaitingBodies.Entry? {
    waiting.line.stopWaiting(number)
    bodiesWait.store(waiting.line.isWaiting, ordering: .sequentiallyConsistent)
    return waiting.entries.removeValue(forKey: number)
  }

  /// A body has ended. Another one may have the right to exceed the share now.
  func stopWaiting(_ number: UInt64, _ schedule: ArrivingBody.Scheduler) {
    let entry = waitingBodies.withLock { waiting in
      waiting.line.end(number)
      return takeOut(number, &waiting)
    }
    _ = entry  // released here, outside the lock
    noteRelease()
  }

  // MARK: Resuming

  /// Called after memory has been released, by a thread that may hold any lock. Lets bodies that wait look for room, on
  /// another thread.
  func noteRelease() {
    guard isBodyWaiting else { return }
    let schedule = waitingBodies.withLock { $0.scheduler.take() }
    schedule? { [weak self] in self?.resumeBodies(schedule) }
  }

  private func resumeBodies(_ schedule: ArrivingBody.Scheduler?) {
    // From here on a release asks for another look.
    let candidates = waitingBodies.withLock { waiting in
      waiting.scheduler = waiting.scheduler ?? schedule
      return waiting.line.candidates
    }
    var resumed: [WaitingBodies.Entry] = []
    turns.withLock { _ in
      for candidate in candidates {
        guard let hold = waitingBodies.withLock({ $0.entries[candidate.body]?.hold }),
          takeForBody(candidate.bytes, in: hold, mayExceed: candidate.mayExceed)
        else { continue }
        if let entry = waitingBodies.withLock({ takeOut(candidate.body, &$0) }) {
          resumed.append(entry)
        } else {
          // The body has ended meanwhile.
          hold.grow(by: -candidate.bytes)
        }
      }
    }
    for entry in resumed { entry.resume() }
  }
}
