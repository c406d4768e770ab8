import Testing
import VitrineConcurrency
import VitrineTesting

@testable import VitrineLoading

extension FetchLocks {
  /// Handles the answer of the disk for a fetch that may wait for other processes.
  fileprivate mutating func prepared(
    _ id: FetchID, _ preparation: FetchPreparation, lookedUp: Int64?, at now: Int64
  ) -> Step {
    prepared(id, preparation, lookedUp: lookedUp, mayWait: true, at: now)
  }
}

/// The decisions about fetch locks that processes share.
@Suite struct FetchLocksTests {
  private let one = FetchID(number: 1)
  private let two = FetchID(number: 2)

  private func seconds(_ seconds: Double) -> Int64 { Int64(0).advanced(bySeconds: seconds) }

  private func acquired(secondsSinceStore: Double? = nil, _ lock: FakeLock = FakeLock()) -> FetchPreparation {
    FetchPreparation(
      lock: .acquired(FetchLockHold(lock) { $0() }, secondsSinceStore: secondsSinceStore))
  }

  private func held(received: UInt64 = 1, waiting: UInt64 = 0) -> FetchPreparation {
    FetchPreparation(lock: .heldByAnother(FetchLockProgress(received: received, waiting: waiting)))
  }

  /// Checks the first fetch at a time in seconds. Returns true if it goes on without a lock.
  private func goesAhead(
    _ locks: inout FetchLocks, at time: Double, received: UInt64 = 1, waiting: UInt64 = 0
  ) -> Bool {
    _ = locks.takeChecks(at: seconds(time))
    let progress = FetchLockProgress(received: received, waiting: waiting)
    return locks.checked([one: progress], at: seconds(time)).ahead == [one]
  }

  /// Returns locks in which a fetch waits since the time 0.
  private func waiting() -> FetchLocks {
    var locks = FetchLocks(isEnabled: true)
    let asks = locks.asks(one, isUseful: true, at: 0)
    let step = locks.prepared(one, held(), lookedUp: 0, at: 0)
    #expect(asks && step == .wait && locks.isWaiting(one))
    return locks
  }

  /// Checks until the time ends. Returns the times of the checks in seconds.
  private func checkTimes(_ locks: inout FetchLocks, until end: Double) -> [Double] {
    var times: [Double] = []
    while let next = locks.nextChange, next <= seconds(end) {
      guard locks.takeChecks(at: next) == [one] else { break }
      times.append(Double(next) / 1e9)
      _ = locks.checked([one: FetchLockProgress(received: UInt64(times.count) + 1)], at: next)
    }
    return times
  }

  // MARK: Asking

  @Test func cacheWithoutLocksIsNotAsked() {
    var locks = FetchLocks()
    let asks = locks.asks(one, isUseful: true, at: 0)
    #expect(!asks && locks.nextChange == nil)
  }

  @Test func fetchThatNeedsNoAnswerDoesNotAsk() {
    var locks = FetchLocks(isEnabled: true)
    let asks = locks.asks(one, isUseful: false, at: 0)
    #expect(!asks)
  }

  @Test func transferStartsWithTheLock() {
    var locks = FetchLocks(isEnabled: true)
    _ = locks.asks(one, isUseful: true, at: 0)
    let step = locks.prepared(one, acquired(), lookedUp: 0, at: 1)
    let asksAgain = locks.asks(one, isUseful: true, at: 1)
    #expect(step == .start && !asksAgain && locks.nextChange == nil)
    let (taken, again) = (locks.take(one), locks.take(one))
    #expect(taken?.hold != nil && again == nil)
  }

  @Test(
    "a response that was stored after the lookup is looked up",
    arguments: [(nil, false), (0, true), (2, true), (5, true), (8, false), (1e12, false)] as [(Double?, Bool)]
  )
  func newResponseIsLookedUp(secondsSinceStore: Double?, isNew: Bool) {
    var locks = FetchLocks(isEnabled: true)
    _ = locks.asks(one, isUseful: true, at: seconds(10))

    let step = locks.prepared(
      one, acquired(secondsSinceStore: secondsSinceStore), lookedUp: seconds(6), at: seconds(10))

    #expect(step == (isNew ? .lookUp : .start))
    let asksAgain = locks.asks(one, isUseful: true, at: seconds(11))
    #expect(!asksAgain, "the lock is kept during the lookup")
  }

  @Test func lateAnswerStartsTheTransferWithoutALockAndReleasesTheLock() {
    var locks = FetchLocks(isEnabled: true)
    _ = locks.asks(one, isUseful: true, at: 0)
    let limit = seconds(FetchLocks.answerLimit)
    #expect(locks.nextChange == limit)
    var late = locks.takeLate(at: limit - 1)
    #expect(late == [])
    late = locks.takeLate(at: limit)
    #expect(late == [one] && locks.isHanging)
    let asks = locks.asks(two, isUseful: true, at: limit)
    #expect(!asks, "a disk that hangs is not asked")

    let lock = FakeLock()
    let step = locks.prepared(one, acquired(secondsSinceStore: nil, lock), lookedUp: 0, at: limit + 1)

    #expect(step == .none && lock.releases == 1 && !locks.isHanging)
    let asksNow = locks.asks(two, isUseful: true, at: limit + 2)
    #expect(asksNow)
  }

  @Test func answerMayTakeLongerWhileResumableDataAreRead() {
    var locks = FetchLocks(isEnabled: true)
    _ = locks.asks(one, isUseful: true, at: 0)
    locks.reads(20 << 20, for: one, at: seconds(0.1))
    let late = locks.takeLate(at: seconds(10))
    #expect(late == [] && (locks.nextChange ?? 0) > seconds(10))
    let lateAtLast = locks.takeLate(at: seconds(11))
    #expect(lateAtLast == [one])
  }

  @Test func fetchThatLeavesReleasesItsLock() {
    var locks = FetchLocks(isEnabled: true)
    let lock = FakeLock()
    _ = locks.asks(one, isUseful: true, at: 0)
    _ = locks.prepared(one, acquired(secondsSinceStore: nil, lock), lookedUp: 0, at: 0)
    #expect(lock.releases == 0)
    locks.leave(one)
    #expect(lock.releases == 1)

    _ = locks.asks(two, isUseful: true, at: 0)
    locks.leave(two)
    let step = locks.prepared(two, acquired(), lookedUp: 0, at: 1)
    #expect(step == .none, "the answer comes too late")
  }

  // MARK: Asking early

  @Test func earlyAnswerServesTheTransfer() {
    var locks = FetchLocks(isEnabled: true)
    let isAsked = locks.asksEarly(one, isUseful: true)
    #expect(isAsked && !locks.isIdle)
    let step = locks.prepared(one, acquired(), lookedUp: 0, at: 0)
    #expect(step == .none && locks.isIdle, "the turn of the download has not come")

    let awaits = locks.awaitsEarlyAnswer(one, isUseful: true, at: 1)
    let asks = locks.asks(one, isUseful: true, at: 1)
    #expect(!awaits && !asks)
    let taken = locks.take(one)
    #expect(taken?.hold != nil && locks.nextChange == nil)
  }

  @Test func transferAwaitsAnEarlyAnswerForALimitedTime() {
    var locks = FetchLocks(isEnabled: true)
    _ = locks.asksEarly(one, isUseful: true)
    let awaits = locks.awaitsEarlyAnswer(one, isUseful: true, at: seconds(3))
    #expect(awaits && locks.nextChange == seconds(3 + FetchLocks.answerLimit))

    let step = locks.prepared(one, acquired(), lookedUp: 0, at: seconds(3.1))
    #expect(step == .start)
  }

  @Test func transferDoesNotAwaitAnEarlyAnswerOfADiskThatHangs() {
    var locks = FetchLocks(isEnabled: true)
    _ = locks.asks(one, isUseful: true, at: 0)
    _ = locks.asksEarly(two, isUseful: true)
    _ = locks.takeLate(at: seconds(FetchLocks.answerLimit))

    let awaits = locks.awaitsEarlyAnswer(two, isUseful: true, at: seconds(1))
    let asks = locks.asks(two, isUseful: true, at: seconds(1))

    #expect(!awaits && !asks)
    let lock = FakeLock()
    let step = locks.prepared(two, acquired(secondsSinceStore: nil, lock), lookedUp: 0, at: seconds(2))
    #expect(step == .none && lock.releases == 1 && locks.isHanging, "the first answer is still to come")
  }

  @Test func answerThatWillServeATransferDoesNotExpire() {
    var locks = FetchLocks(isEnabled: true)
    _ = locks.asksEarly(one, isUseful: true)
    _ = locks.prepared(one, acquired(), lookedUp: 0, at: 0)
    _ = locks.asks(one, isUseful: true, at: 1)

    locks.releaseEarly(at: seconds(EarlyAnswers.lifetime))

    let taken = locks.take(one)
    #expect(taken?.hold != nil)
  }

  @Test func fetchThatHoldsItsLockDoesNotAskEarly() {
    var locks = FetchLocks(isEnabled: true)
    _ = locks.asks(one, isUseful: true, at: 0)
    let step = locks.prepared(one, acquired(secondsSinceStore: 0), lookedUp: 0, at: 0)

    let isAsked = locks.asksEarly(one, isUseful: true)

    #expect(step == .lookUp && !isAsked)
  }

  @Test("the disk is asked again about a download with resumable data", arguments: [false, true])
  func resumableDataAreReadAtTheTurnOfTheDownload(awaits: Bool) {
    var locks = FetchLocks(isEnabled: true)
    var answer = acquired()
    answer.hasUnreadData = true
    _ = locks.asksEarly(one, isUseful: true)
    if awaits { _ = locks.awaitsEarlyAnswer(one, isUseful: true, at: 0) }

    let step = locks.prepared(one, answer, lookedUp: 0, at: 0)

    #expect(step == (awaits ? .ask : .none))
    let asks = locks.asks(one, isUseful: true, at: 0)
    #expect(asks)
  }

  @Test func secondQuestionForResumableDataTakesNoAdditionalTime() {
    var locks = FetchLocks(isEnabled: true)
    var answer = acquired()
    answer.hasUnreadData = true
    _ = locks.asksEarly(one, isUseful: true)
    _ = locks.awaitsEarlyAnswer(one, isUseful: true, at: 0)
    let step = locks.prepared(one, answer, lookedUp: 0, at: seconds(0.4))

    let asks = locks.asks(one, isUseful: true, at: seconds(0.4))

    let end = seconds(FetchLocks.answerLimit)
    #expect(step == .ask && asks && locks.nextChange == end)
    let late = locks.takeLate(at: end)
    #expect(late == [one])
  }

  @Test("an early answer is dropped if the fetch needs none any more", arguments: [false, true])
  func earlyAnswerOfAFetchThatNeedsNone(isAnswered: Bool) {
    var locks = FetchLocks(isEnabled: true)
    let lock = FakeLock()
    _ = locks.asksEarly(one, isUseful: true)
    if isAnswered { _ = locks.prepared(one, acquired(secondsSinceStore: nil, lock), lookedUp: 0, at: 0) }

    let awaits = locks.awaitsEarlyAnswer(one, isUseful: false, at: 0)
    let asks = locks.asks(one, isUseful: false, at: 0)

    #expect(!awaits && !asks && locks.isIdle && locks.nextChange == nil)
    if !isAnswered { _ = locks.prepared(one, acquired(secondsSinceStore: nil, lock), lookedUp: 0, at: 0) }
    let taken = locks.take(one)
    #expect(taken == nil && lock.releases == 1)
  }

  @Test("an early lock is released after a second, and when the download leaves", arguments: [false, true])
  func earlyLockIsReleased(leaves: Bool) {
    var locks = FetchLocks(isEnabled: true)
    let lock = FakeLock()
    _ = locks.asksEarly(one, isUseful: true)
    _ = locks.prepared(one, acquired(secondsSinceStore: nil, lock), lookedUp: 0, at: 0)
    let end = seconds(EarlyAnswers.lifetime)
    #expect(locks.nextChange == end)
    locks.releaseEarly(at: end - 1)
    #expect(lock.releases == 0)

    if leaves { locks.leave(one) } else { locks.releaseEarly(at: end) }

    #expect(lock.releases == 1 && locks.nextChange == nil)
    if !leaves {
      let asksEarly = locks.asksEarly(one, isUseful: true)
      #expect(!asksEarly, "other processes would wait for this one all the time")
    }
    let asks = locks.asks(one, isUseful: true, at: end)
    #expect(asks)
  }

  @Test("after a useless early answer, the disk is asked again at the turn of the download")
  func uselessEarlyAnswerIsDropped() {
    for answer in [held(), acquired(secondsSinceStore: 0)] {
      var locks = FetchLocks(isEnabled: true)
      _ = locks.asksEarly(one, isUseful: true)
      let step = locks.prepared(one, answer, lookedUp: 0, at: 0)
      #expect(step == .none && !locks.isWaiting(one))
      let asksEarly = locks.asksEarly(one, isUseful: true)
      #expect(!asksEarly, "not before the turn")
      let asks = locks.asks(one, isUseful: true, at: 0)
      #expect(asks)
    }
  }

  @Test("after a useless answer, a download that has left the queue may be asked about early again")
  func uselessEarlyAnswerIsForgotten() {
    var locks = FetchLocks(isEnabled: true)
    _ = locks.asksEarly(one, isUseful: true)
    _ = locks.prepared(one, held(), lookedUp: 0, at: 0)
    locks.leave(one)
    let asksEarly = locks.asksEarly(one, isUseful: true)
    #expect(asksEarly)
  }

  @Test func uselessEarlyAnswersKeepNoLaterDownloadsFromBeingAskedAbout() {
    var locks = FetchLocks(isEnabled: true)
    let ids = (1...100).map { FetchID(number: $0) }
    var asked: [FetchID] = []
    var rounds = 0
    while locks.isTimeToAskEarly, rounds < 10 {
      rounds += 1
      let searched = ids.prefix(locks.earlySearchCount)
      let round = searched.filter { locks.asksEarly($0, isUseful: true) }
      for id in round { _ = locks.prepared(id, held(), lookedUp: 0, at: 0) }
      asked += round
    }
    #expect(asked == Array(ids.prefix(EarlyAnswers.searchLimit)), "each once, and a limited number")
  }

  @Test func diskIsAskedEarlyAboutFewDownloadsAndAboutSeveralAtOnce() {
    var locks = FetchLocks(isEnabled: true)
    let ids = (1...20).map { FetchID(number: $0) }
    let asked = ids.filter { locks.asksEarly($0, isUseful: true) }
    #expect(asked == Array(ids.prefix(EarlyAnswers.countLimit)) && !locks.isTimeToAskEarly)

    for id in asked { _ = locks.prepared(id, acquired(), lookedUp: 0, at: 0) }
    for (index, id) in asked.enumerated() {
      #expect(locks.isTimeToAskEarly == (index >= EarlyAnswers.countLimit / 2))
      _ = locks.asks(id, isUseful: true, at: 0)
    }
    let isAsked = locks.asksEarly(ids[19], isUseful: false)
    #expect(!isAsked)
  }

  @Test func diskThatHangsIsNotAskedEarly() {
    var locks = FetchLocks(isEnabled: true)
    _ = locks.asks(one, isUseful: true, at: 0)
    _ = locks.takeLate(at: seconds(FetchLocks.answerLimit))
    #expect(!locks.isTimeToAskEarly)
    let withoutLocks = FetchLocks()
    #expect(!withoutLocks.isTimeToAskEarly)
  }

  // MARK: Waiting

  @Test func checksAreFewAndBecomeFewer() {
    var locks = waiting()
    let times = checkTimes(&locks, until: 3)
    #expect(times.first == FetchLocks.firstCheck)
    #expect(times.count <= 10)
    #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 <= FetchLocks.longestInterval + 1e-9 })
  }

  @Test func manyFetchesAreCheckedTogether() {
    var locks = waiting()
    for number in 2...50 {
      let id = FetchID(number: UInt64(number))
      _ = locks.asks(id, isUseful: true, at: 0)
      _ = locks.prepared(id, held(), lookedUp: 0, at: 0)
    }
    let ids = locks.takeChecks(at: seconds(FetchLocks.firstCheck))
    let again = locks.takeChecks(at: seconds(FetchLocks.firstCheck))
    #expect(ids.count == 50 && again == [])
    let released = locks.checked([one: FetchLockProgress(received: 2)], at: seconds(0.2))
    #expect(released.free.count == 49 && released.ahead == [] && locks.isWaiting(one))
  }

  @Test func freeLockEndsTheWait() {
    var locks = waiting()
    _ = locks.takeChecks(at: seconds(0.1))
    let released = locks.checked([:], at: seconds(0.1))
    #expect(released == .init(free: [one]) && !locks.isWaiting(one))
    let asks = locks.asks(one, isUseful: true, at: seconds(0.2))
    #expect(asks, "after the lookup, the lock is asked for again")
  }

  @Test func processWithoutProgressIsNotWaitedForLong() {
    var locks = waiting()
    var time = 0.0
    var released = FetchLocks.Released()
    while released.ahead.isEmpty, time < 20, let next = locks.nextChange {
      time = Double(next) / 1e9
      _ = locks.takeChecks(at: next)
      released = locks.checked([one: FetchLockProgress(received: 1)], at: next)
    }
    #expect(released.ahead == [one])
    #expect(time >= FetchLocks.patience && time <= FetchLocks.patience + FetchLocks.longestInterval)
    var asks = locks.asks(one, isUseful: true, at: seconds(time))
    #expect(!asks, "the transfer starts without a lock")
    _ = locks.take(one)
    asks = locks.asks(one, isUseful: true, at: seconds(time))
    #expect(asks, "a retry asks again")
  }

  @Test func processWithProgressIsWaitedForUntilTheLongestWait() {
    var locks = waiting()
    let times = checkTimes(&locks, until: 100)
    let last = times.last ?? 0
    #expect(last >= locks.longestWait && last <= locks.longestWait + FetchLocks.longestInterval)
    #expect(locks.longestWait == 65, "longer than a transfer may take")
    #expect(!locks.isWaiting(one))
  }

  @Test func longestWaitIncludesEarlierWaits() {
    var locks = waiting()
    _ = locks.takeChecks(at: seconds(1))
    _ = locks.checked([:], at: seconds(1))
    _ = locks.asks(one, isUseful: true, at: seconds(locks.longestWait))
    _ = locks.prepared(one, held(), lookedUp: 0, at: seconds(locks.longestWait))
    _ = locks.takeChecks(at: seconds(locks.longestWait + 1))
    let released = locks.checked([one: FetchLockProgress(received: 9)], at: seconds(locks.longestWait + 1))
    #expect(released.ahead == [one])
  }

  @Test func processThatWaitsForItsServerIsWaitedFor() {
    var locks = waiting()
    for time in 1...60 {
      let isAhead = goesAhead(&locks, at: Double(time), waiting: UInt64(time))
      #expect(!isAhead)
    }
  }

  /// The server may hang, and the processes would fail one after another.
  @Test(
    "a process that asks the server after a failure is waited for as long as it receives bytes",
    arguments: [0, 1, 2])
  func processThatAsksAfterAFailureIsWaitedForBriefly(kind: Int) {
    var locks = FetchLocks(isEnabled: true)
    if kind == 0 {
      // The transfer of this process has failed.
      _ = locks.asks(one, isUseful: true, at: 0)
      _ = locks.prepared(one, acquired(), lookedUp: 0, at: 0)
      _ = locks.take(one)
      _ = locks.asks(one, isUseful: true, at: seconds(2))
      _ = locks.prepared(one, held(), lookedUp: 0, at: seconds(2))
    } else {
      locks = waiting()
      if kind == 1 {
        // The lock was free, and another process has taken it.
        let isAhead = goesAhead(&locks, at: 0.5, waiting: 5)
        #expect(!isAhead)
        _ = locks.takeChecks(at: seconds(1))
        _ = locks.checked([:], at: seconds(1))
        _ = locks.asks(one, isUseful: true, at: seconds(2))
        _ = locks.prepared(one, held(), lookedUp: 0, at: seconds(2))
      } else {
        // Another process has taken the lock between two checks.
        for (time, waiting) in [(1.0, UInt64(5)), (2, 0)] {
          let isAhead = goesAhead(&locks, at: time, waiting: waiting)
          #expect(!isAhead)
        }
      }
    }
    var receiving = locks

    var isAhead = goesAhead(&locks, at: 4, waiting: 2)
    #expect(!isAhead)
    isAhead = goesAhead(&locks, at: 2 + FetchLocks.patience, waiting: 5)
    #expect(isAhead)

    for time in 3...60 {
      isAhead = goesAhead(&receiving, at: Double(time), received: UInt64(time), waiting: 2)
      #expect(!isAhead)
    }
  }

  @Test(
    "a process that takes over from one that was killed or cancelled is waited for like the first",
    arguments: [true, false])
  func processThatTakesOverIsWaitedFor(isNoticed: Bool) {
    var locks = waiting()
    var isAhead = goesAhead(&locks, at: 3, waiting: 3)
    #expect(!isAhead)
    if isNoticed {
      _ = locks.takeChecks(at: seconds(4))
      _ = locks.checked([:], at: seconds(4))
      _ = locks.asks(one, isUseful: true, at: seconds(4))
      _ = locks.prepared(one, held(), lookedUp: 0, at: seconds(4))
    }
    for time in 5...60 {
      isAhead = goesAhead(&locks, at: Double(time), waiting: UInt64(time - 5))
      #expect(!isAhead)
    }
  }

  @Test func checkThatHangsEndsAllWaits() {
    var locks = waiting()
    let ids = locks.takeChecks(at: seconds(1))
    #expect(ids == [one])
    let end = seconds(1 + FetchLocks.answerLimit)
    #expect(locks.nextChange == end)
    var abandoned = locks.takeAbandoned(at: end - 1)
    #expect(abandoned == [])
    abandoned = locks.takeAbandoned(at: end)
    #expect(abandoned == [one] && locks.isHanging && locks.nextChange == nil)
    let released = locks.checked([one: FetchLockProgress(received: 1)], at: end + 1)
    #expect(released == .init() && !locks.isHanging)
  }
}
