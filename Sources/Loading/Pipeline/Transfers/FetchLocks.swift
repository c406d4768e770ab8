import VitrineConcurrency

/// The fetches that ask the disk cache before their transfer, and the fetches that wait for another process which
/// fetches the same response. Makes decisions only. Times are in nanoseconds.
///
/// A lock is asked for when a transfer could start. A fetch whose lock is held by another process leaves the queue and is
/// checked a few times per second. As soon as the lock is free, the disk is looked up again. If the disk does not have the
/// response, the fetch returns to its place in the queue, or to the end of the queue for a retry. The transfer starts
/// without a lock if the disk does not respond, or if the other process makes no progress.
///
/// The locks of the next few downloads are asked for early; see `EarlyAnswers`.
struct FetchLocks {
  /// The number of seconds after which a transfer starts without the answer of the disk, as for a lookup.
  static let answerLimit = 0.5
  /// The number of seconds without progress of another process after which its lock is ignored.
  static let patience = 5.0
  /// The number of seconds until the first check of a fetch that waits.
  static let firstCheck = 0.1
  /// The longest number of seconds between two checks.
  static let longestInterval = 0.4
  /// The number of bytes per second that a slow disk reads of resumable data.
  private static let slowestDisk = 2.0 * 1024 * 1024
  /// The number of seconds by which the time of a store may be inaccurate: files have times in whole seconds.
  private static let storeTolerance = 2.0

  /// The number of reports that a process waits for its server after which the server seems to hang.
  private static let hangingWaits = 5

  private struct Wait {
    /// The time after which the lock is ignored, even if the other process makes progress.
    let end: Int64
    /// True if a process that waits for its server makes progress. False after a request for the response has failed,
    /// when only bytes count: the server may hang, and the processes would otherwise wait for it one after another.
    var countsWaiting: Bool
    var progress: FetchLockProgress
    /// The time at which progress was last seen.
    var progressed: Int64

    /// True if the other process has waited for its server for so long that the server seems to hang. A process that has
    /// released the lock earlier was killed, or its request was cancelled or refused.
    var seemsToHang: Bool { !countsWaiting || progress.waiting >= hangingWaits }

    mutating func update(_ new: FetchLockProgress, at now: Int64) {
      if new.isOfAnotherProcess(than: progress) {
        countsWaiting = !seemsToHang
        progressed = now
      } else if new.received != progress.received || countsWaiting && new.waiting != progress.waiting {
        progressed = now
      }
      progress = new
    }
  }

  private struct Check {
    let ids: Set<FetchID>
    /// The time after which the disk counts as hanging.
    let end: Int64
    var isLate = false
  }

  /// True if the disk cache is asked before transfers.
  let isEnabled: Bool
  /// The number of seconds after which the locks of other processes are ignored, even if the processes make progress.
  let longestWait: Double
  /// The fetches whose answers are awaited, and the times after which their transfers start without.
  private var asking: [FetchID: Int64] = [:]
  /// The fetches whose transfers have started without an answer, which is still to come.
  private var late: Set<FetchID> = []
  /// The answers for downloads that still wait for their turn.
  private var early = EarlyAnswers()
  private var waiting: [FetchID: Wait] = [:]
  /// The answers for transfers that are about to start.
  private var ready: [FetchID: FetchPreparation] = [:]
  /// The fetches that do not ask, because the other process hangs.
  private var ahead: Set<FetchID> = []
  /// The time at which the waits of each fetch end in any case.
  private var waitEnds: [FetchID: Int64] = [:]
  /// The fetches whose transfers have started before, or whose servers seem to hang.
  private var failed: Set<FetchID> = []
  /// The running check of the fetches that wait.
  private var check: Check?
  private var nextCheck: Int64?
  private var lastCheck = Int64.min
  private var interval = FetchLocks.firstCheck

  /// - Parameter transferLimit: The number of seconds that a transfer may take.
  init(isEnabled: Bool = false, transferLimit: Double = TransportRequest.Timeouts().total) {
    self.isEnabled = isEnabled
    longestWait = transferLimit + Self.patience
  }

  /// True if the disk has not responded in time.
  var isHanging: Bool { !late.isEmpty || check?.isLate == true }

  /// True if no answer of the disk is awaited.
  var isIdle: Bool { asking.isEmpty && early.isIdle && check == nil }

  /// True if a fetch waits for another process.
  func isWaiting(_ id: FetchID) -> Bool { waiting[id] != nil }

  // MARK: Asking

  /// Decides whether the disk is asked before a transfer that could start now.
  ///
  /// - Parameter isUseful: True if the answer may be of use to this fetch.
  mutating func asks(_ id: FetchID, isUseful: Bool, at now: Int64) -> Bool {
    let end = asking.removeValue(forKey: id)
    guard isEnabled, isUseful, !ahead.contains(id) else {
      early.leave(id)
      return false
    }
    // Moved, so that the answer does not expire before the transfer takes it.
    if let answer = early.take(id), ready[id] == nil { ready[id] = answer }
    guard !isHanging, ready[id] == nil else { return false }
    // A second question, after `Step.ask`, takes no additional time.
    asking[id] = min(end ?? .max, now.advanced(bySeconds: Self.answerLimit))
    return true
  }

  /// True if it is time to ask the disk about downloads that wait for their turn; see `asksEarly`.
  var isTimeToAskEarly: Bool { isEnabled && !isHanging && early.isHalfEmpty }

  /// The number of downloads at the front of the queue to consider for `asksEarly`.
  var earlySearchCount: Int { early.searchCount }

  /// True if the disk may be asked before the turn of a download.
  func mayAskEarly(_ id: FetchID) -> Bool {
    !early.isFull && !early.contains(id) && ready[id] == nil && !ahead.contains(id)
  }

  /// Decides whether the disk is asked before the turn of a download.
  mutating func asksEarly(_ id: FetchID, isUseful: Bool) -> Bool {
    guard isUseful, mayAskEarly(id) else { return false }
    early.ask(id)
    return true
  }

  /// Returns true if the disk was asked early about a transfer that could start now, and is about to answer.
  ///
  /// - Parameter isUseful: True if the answer may still be of use to this fetch.
  mutating func awaitsEarlyAnswer(_ id: FetchID, isUseful: Bool, at now: Int64) -> Bool {
    guard early.stopAsking(id), isUseful else { return false }
    guard !isHanging else {
      late.insert(id)
      return false
    }
    asking[id] = now.advanced(bySeconds: Self.answerLimit)
    return true
  }

  /// Notes that the disk has responded and reads `bytes` bytes of resumable data, which may take longer.
  mutating func reads(_ bytes: Int, for id: FetchID, at now: Int64) {
    guard let end = asking[id] else { return }
    asking[id] = max(end, now.advanced(bySeconds: Self.answerLimit + Double(bytes) / Self.slowestDisk))
  }

  /// The next step of a fetch after the answer.
  enum Step: Equatable {
    /// The answer is of no use any more, or the turn of the download has not come.
    case none
    /// Ask again, for resumable data or because no lock is needed any more; call `asks`.
    case ask
    case start
    /// Look up the disk first: another process has stored the response in the meantime.
    case lookUp
    case wait
  }

  /// Handles the answer of the disk.
  ///
  /// - Parameters:
  ///   - lookedUp: The time at which the disk lookup of the fetch ended.
  ///   - mayWait: False if a request that does not wait for other processes has joined since the question.
  mutating func prepared(
    _ id: FetchID, _ preparation: FetchPreparation, lookedUp: Int64?, mayWait: Bool, at now: Int64
  ) -> Step {
    late.remove(id)
    let isNewer = Self.isNewer(preparation, thanLookup: lookedUp, at: now)
    let isHeld = if case .heldByAnother = preparation.lock { true } else { false }
    let isUsable = !isHeld && !isNewer && !preparation.hasUnreadData
    if early.answered(id, preparation, isUsable: isUsable, at: now) { return .none }
    guard asking[id] != nil else { return .none }
    if preparation.hasUnreadData || isHeld && !mayWait { return .ask }
    asking[id] = nil
    switch preparation.lock {
    case .heldByAnother(let progress):
      wait(id, for: progress, at: now)
      return .wait
    case .acquired, .none:
      ready[id] = preparation
      return isNewer ? .lookUp : .start
    }
  }

  /// Begins a wait for another process.
  private mutating func wait(_ id: FetchID, for progress: FetchLockProgress, at now: Int64) {
    let end = waitEnds[id] ?? now.advanced(bySeconds: longestWait)
    waitEnds[id] = end
    waiting[id] = Wait(
      end: end, countsWaiting: !failed.contains(id), progress: progress, progressed: now)
    scheduleFirstCheck(at: now)
  }

  /// True if another process has stored the response since the disk was looked up.
  private static func isNewer(
    _ preparation: FetchPreparation, thanLookup lookedUp: Int64?, at now: Int64
  ) -> Bool {
    guard case .acquired(_, let secondsSinceStore?) = preparation.lock else { return false }
    let sinceLookup = lookedUp.map { Double(now &- $0) / 1e9 } ?? .infinity
    return secondsSinceStore <= sinceLookup + storeTolerance
  }

  /// Removes and returns the answer for a transfer that starts.
  mutating func take(_ id: FetchID) -> FetchPreparation? {
    guard isEnabled else { return nil }
    failed.insert(id)
    ahead.remove(id)
    return ready.removeValue(forKey: id)
  }

  /// Notes that a fetch has ended, has its bytes from elsewhere, or is held. A lock is released.
  mutating func leave(_ id: FetchID) {
    guard isEnabled else { return }
    asking[id] = nil
    waiting[id] = nil
    ready[id] = nil
    early.leave(id)
    ahead.remove(id)
    waitEnds[id] = nil
    failed.remove(id)
  }

  /// Releases the locks that were taken early, and whose downloads have not started in time.
  mutating func releaseEarly(at now: Int64) { early.removeExpired(at: now) }

  /// Returns the fetches whose transfers start without the answer of the disk.
  mutating func takeLate(at now: Int64) -> [FetchID] {
    guard !asking.isEmpty else { return [] }
    let overdue = asking.filter { now >= $0.value }.keys.sorted()
    for id in overdue {
      asking[id] = nil
      late.insert(id)
    }
    return overdue
  }

  // MARK: Waiting

  /// Returns the fetches to check now; empty for none. Report the result with `checked`.
  mutating func takeChecks(at now: Int64) -> [FetchID] {
    guard let nextCheck, now >= nextCheck, check == nil else { return [] }
    self.nextCheck = nil
    guard !waiting.isEmpty else { return [] }
    lastCheck = now
    check = Check(ids: Set(waiting.keys), end: now.advanced(bySeconds: Self.answerLimit))
    return waiting.keys.sorted()
  }

  /// The fetches that stop waiting.
  struct Released: Equatable {
    /// The fetches whose lock is free.
    var free: [FetchID] = []
    /// The fetches that go on without a lock.
    var ahead: [FetchID] = []
  }

  /// Handles the result of a check.
  ///
  /// - Parameter progress: The progress of the other processes, for the fetches whose locks are still held.
  mutating func checked(_ progress: [FetchID: FetchLockProgress], at now: Int64) -> Released {
    guard let check else { return Released() }
    self.check = nil
    var released = Released()
    for id in check.ids.sorted() {
      guard var wait = waiting[id] else { continue }
      guard let progress = progress[id] else {
        if wait.seemsToHang { failed.insert(id) }
        waiting[id] = nil
        released.free.append(id)
        continue
      }
      wait.update(progress, at: now)
      waiting[id] = wait
      if now >= wait.end || now >= wait.progressed.advanced(bySeconds: Self.patience) {
        goAhead(id)
        released.ahead.append(id)
      }
    }
    if !waiting.isEmpty {
      interval = min(2 * interval, Self.longestInterval)
      nextCheck = now.advanced(bySeconds: interval)
    }
    return released
  }

  /// Returns the fetches that go on without a lock, because a check does not end.
  mutating func takeAbandoned(at now: Int64) -> [FetchID] {
    guard let check, now >= check.end else { return [] }
    self.check?.isLate = true
    let abandoned = waiting.keys.sorted()
    for id in abandoned { goAhead(id) }
    return abandoned
  }

  private mutating func goAhead(_ id: FetchID) {
    waiting[id] = nil
    ahead.insert(id)
  }

  private mutating func scheduleFirstCheck(at now: Int64) {
    interval = Self.firstCheck
    let time = max(
      now.advanced(bySeconds: interval), lastCheck.advanced(bySeconds: 2 * interval))
    nextCheck = min(nextCheck ?? .max, time)
  }

  // MARK: Time

  /// The next time at which `takeLate`, `takeAbandoned` or `takeChecks` may return a fetch, or at which `releaseEarly`
  /// may release a lock.
  var nextChange: Int64? {
    guard isEnabled else { return nil }
    let checkTime = check.map { $0.isLate ? nil : $0.end } ?? nextCheck
    return [asking.values.min(), checkTime, early.nextChange].compactMap { $0 }.min()
  }
}
