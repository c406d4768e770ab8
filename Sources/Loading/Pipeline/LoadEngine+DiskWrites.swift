import Dispatch
import VitrineConcurrency
import VitrineGraphics

// Changes on disk, on the writer thread.

extension LoadEngine {
  /// Removes the stored response of `identity`, which look-ups do not find any more.
  func discard(_ identity: RequestIdentity) { change(.remove(onDisk(identity)), completion: nil) }

  /// Removes the stored response of `identity`, or all stored responses if `nil`. Look-ups that begin after this call
  /// do not find the removed responses.
  func removeFromDisk(_ identity: RequestIdentity?, _ completion: @escaping @Sendable (Bool) -> Void) {
    if let identity {
      change(.remove(onDisk(identity)), completion: completion)
    } else {
      change(.removeAll, completion: completion)
    }
  }

  /// Reports whether the disk has a response, after all earlier disk operations; false if there is no disk cache or the
  /// disk hangs.
  func containsOnDisk(_ identity: RequestIdentity, _ completion: @escaping @Sendable (Bool) -> Void) {
    let identity = onDisk(identity)
    change(.look, { $0.containsResponse(for: identity) }, completion: completion)
  }

  /// Blocks the calling thread until all earlier changes have been written, but no longer than `seconds`.
  func finishWriting(within seconds: Double) {
    let isWritten = DispatchSemaphore(value: 0)
    change(.look) { _ in
      true
    } completion: { _ in
      isWritten.signal()
    }
    _ = isWritten.wait(timeout: .now() + seconds)
  }

  /// Makes a change on the writer thread after all earlier changes, unless too many wait already.
  ///
  /// - Parameters:
  ///   - change: The work of a store or a look-up; by default, everything is removed. Not called for single removals.
  ///   - completion: Called once, with false if the change was not made, as on a disk that hangs.
  func change(
    _ kind: DiskWrites.Kind,
    _ change: @escaping @Sendable (any ImageDataCache) -> Bool = { $0.removeAllResponses() },
    completion: DiskWrites.Completion?
  ) {
    guard let dataCache else {
      completion?(false)
      return
    }
    let (admission, isHanging) = state.withLock { ($0.writes.admit(kind, completion), $0.writes.isHanging) }
    switch admission {
    case .queued(let number, let work, let dropped):
      for number in dropped { diskWriter.cancel(number) }
      // Single removals that take too much memory are replaced by one removal of everything.
      let isReplaced = if case .remove = kind { work == .removeAll } else { false }
      submit(number) { [self] in
        if work == .removals { return removePending(number, from: dataCache) }
        return isReplaced ? dataCache.removeAllResponses() : change(dataCache)
      }
    case .joined: break
    case .refused(let isFirst):
      if isFirst { reportDisk("the disk is slower than the network; some images are not stored") }
      completion?(false)
      return
    }
    // On a disk that hangs, the change is made later, and the caller does not wait.
    if isHanging { completion?(false) }
  }

  private func submit(_ number: UInt64, _ work: @escaping @Sendable () -> Bool) {
    diskWriter.submit(number) { [self] in
      guard beginsChange(number) else { return }
      let result = work()
      let (completions, waiting) = state.withLock { state in
        let completions = state.writes.end(number)
        return (completions, state.takeIdleWaiters())
      }
      Self.call(completions, result)
      resume(waiting)
    }
  }

  /// Calls the completion handlers of equal changes, the first with the result: the others found nothing more to
  /// remove.
  private static func call(_ completions: [DiskWrites.Completion], _ result: Bool) {
    for (index, completion) in completions.enumerated() { completion(index == 0 && result) }
  }

  /// Makes the removals of a batch.
  private func removePending(_ number: UInt64, from cache: any ImageDataCache) -> Bool {
    while let identity = state.withLock({ $0.writes.nextRemoval(of: number) }) {
      let wasThere = cache.removeResponse(for: identity)
      let now = clock.now
      Self.call(state.withLock { $0.writes.removed(identity, of: number, at: now) }, wasThere)
    }
    return true
  }

  /// Begins a change. Returns false for a change that was dropped.
  private func beginsChange(_ number: UInt64) -> Bool {
    let now = clock.now
    let (isWanted, wake) = state.withLock { state -> (Bool, Int64?) in
      guard let end = state.writes.begin(number, at: now) else { return (false, nil) }
      guard state.writesWake == nil else { return (true, nil) }
      state.writesWake = end
      return (true, end)
    }
    if let wake { wakeForWrites(at: wake) }
    return isWanted
  }

  private func wakeForWrites(at time: Int64) {
    clock.wake(at: time) { [weak self] in self?.lookAtWrites() }
  }

  /// Gives up the changes of a disk that hangs.
  private func lookAtWrites() {
    let now = clock.now
    let (overdue, waiting) = state.withLock { state in
      let overdue = state.writes.takeOverdue(at: now)
      state.writesWake = overdue.next
      return (overdue, state.takeIdleWaiters())
    }
    if overdue.isNew { reportDisk("the disk does not respond; nothing is stored until it does") }
    for number in overdue.dropped { diskWriter.cancel(number) }
    for completion in overdue.completions { completion(false) }
    resume(waiting)
    if let next = overdue.next { wakeForWrites(at: next) }
  }

  private func reportDisk(_ text: String) {
    DiagnosticLog.report(DiagnosticMessage(subject: "disk cache", text: text))
  }
}
