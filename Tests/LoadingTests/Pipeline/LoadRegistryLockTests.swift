import FoundationEssentials
import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// The actions of the load registry with fetch locks that other processes may hold.
@Suite struct LoadRegistryLockTests: RegistrySteps {
  private func registry(staleAfter: Double = .infinity) -> LoadRegistry {
    LoadRegistry(
      disk: DiskPlan(isEnabled: true, staleAfter: staleAfter), locks: FetchLocks(isEnabled: true))
  }

  private func copy(
    age: Double, received: Double? = nil, body: [UInt8] = [1], digest: BodyDigest? = nil
  ) -> StoredCopy {
    let now = 1_700_000_000.0
    let stored = StoredResponse(
      response: TransportResponse(url: url(), status: 200, headers: ["Cache-Control": "max-age=60"]),
      body: body, requested: received ?? now - age, received: received ?? now - age)
    return StoredCopy(stored, .init(body: body, digest: digest), at: now, rules: FreshnessRules())
  }

  private func lock(
    _ lock: FakeLock = FakeLock(), secondsSinceStore: Double? = nil
  ) -> FetchPreparation {
    FetchPreparation(lock: .acquired(FetchLockHold(lock) { $0() }, secondsSinceStore: secondsSinceStore))
  }

  private let held = FetchPreparation(lock: .heldByAnother(FetchLockProgress(received: 1)))

  /// Starts a load whose lookup finds `copy`, so that the lock is asked for.
  private func begin(
    _ registry: inout LoadRegistry, _ request: ImageRequest = request(), finding copy: StoredCopy? = nil
  ) throws -> (task: TaskID, fetch: FetchID) {
    let (task, actions) = registry.start(Caller(request))
    let fetch = try #require(actions.lookups.first)
    let next = registry.lookedUp(fetch, DiskFind(copy: copy))
    #expect(next.map(words).contains("prepare a.jpg") && next.fetches.isEmpty)
    return (task, fetch)
  }

  /// Advances the time until the locks are checked. Returns the actions.
  private func untilChecked(_ registry: inout LoadRegistry) -> [LoadAction] {
    for _ in 0..<20 {
      registry.now = registry.now.advanced(bySeconds: 0.1)
      let actions = registry.woken(at: registry.now)
      if actions.map(words).contains(where: { $0.hasPrefix("check") }) { return actions }
    }
    return []
  }

  @Test func transferStartsWithTheLock() throws {
    var registry = registry()
    let (_, fetch) = try begin(&registry)
    #expect(registry.prepared(fetch, lock()).map(words) == ["fetch a.jpg"])
    #expect(registry.takePreparation(of: fetch)?.hold != nil)
  }

  // MARK: Asking early

  /// Starts the loads of `a.jpg`, `b.jpg` and `c.jpg` behind a download from the same server, which then ends. One is
  /// downloaded at a time. Returns the loads, and the actions at the end of that download.
  private func beginThree(
    _ registry: inout LoadRegistry, finding copy: StoredCopy? = nil
  ) throws -> (tasks: [TaskID], fetches: [FetchID], actions: [LoadAction]) {
    registry.queue.maximumPerHost = 1
    var (tasks, fetches): ([TaskID], [FetchID]) = ([], [])
    for name in ["before.jpg", "a.jpg", "b.jpg", "c.jpg"] {
      let (task, actions) = registry.start(Caller(request(name)))
      tasks.append(task)
      fetches.append(try #require(actions.lookups.first))
      _ = registry.lookedUp(fetches[fetches.count - 1], DiskFind(copy: copy))
    }
    _ = registry.prepared(fetches[0], lock())
    _ = registry.takePreparation(of: fetches[0])
    let actions = registry.cancel(tasks.removeFirst())
    return (tasks, Array(fetches.dropFirst()), actions)
  }

  /// Starts the first of several downloads with its lock, and ends it. Returns the actions at its end.
  private func endFirst(of fetches: [FetchID], in registry: inout LoadRegistry) -> [LoadAction] {
    _ = registry.prepared(fetches[0], lock())
    _ = registry.takePreparation(of: fetches[0])
    return registry.fetchEnded(fetches[0], FetchEnd(.bytes(bytes)))
  }

  @Test func nextDownloadStartsAtOnceWithALockThatWasTakenEarly() throws {
    var registry = registry()
    let (_, fetches, actions) = try beginThree(&registry)
    #expect(actions.questions.map(\.request.url.lastPathComponent) == ["a.jpg", "b.jpg", "c.jpg"])
    #expect(actions.questions.map(\.isEarly) == [false, true, true])
    #expect(registry.prepared(fetches[1], lock()).fetches.isEmpty)
    #expect(registry.prepared(fetches[0], lock()).fetches == [fetches[0]])
    _ = registry.takePreparation(of: fetches[0])

    let next = registry.fetchEnded(fetches[0], FetchEnd(.bytes(bytes)))

    #expect(next.fetches == [fetches[1]] && next.questions.isEmpty)
    #expect(registry.takePreparation(of: fetches[1])?.hold != nil)
  }

  @Test func answersThatComeTogetherAreHandledEachByItself() throws {
    var registry = registry()
    let (_, fetches, _) = try beginThree(&registry)
    #expect(
      endFirst(of: fetches, in: &registry).fetches.isEmpty, "the disk has been asked about the second one")

    let next = registry.prepared([(fetches[2], lock()), (fetches[1], held)])

    #expect(registry.fetches.locks.isWaiting(fetches[1]))
    #expect(
      next.fetches == [fetches[2]] && next.questions.isEmpty, "the third one takes the turn of the second one"
    )
    #expect(registry.takePreparation(of: fetches[2])?.hold != nil)
  }

  @Test func downloadWhoseEarlyAnswerIsLateStartsWithIt() throws {
    var registry = registry()
    let (_, fetches, _) = try beginThree(&registry)
    let next = endFirst(of: fetches, in: &registry)
    #expect(next.fetches.isEmpty && next.questions.isEmpty, "the disk has been asked")

    #expect(registry.prepared(fetches[1], lock()).fetches == [fetches[1]])
  }

  @Test func downloadOfAnotherProcessIsAwaitedWhenItsTurnHasCome() throws {
    var registry = registry()
    let (_, fetches, _) = try beginThree(&registry)
    _ = registry.prepared(fetches[1], held)

    let next = endFirst(of: fetches, in: &registry)

    #expect(next.questions.map(\.id) == [fetches[1]] && next.fetches.isEmpty)
    _ = registry.prepared(fetches[1], held)
    #expect(registry.fetches.locks.isWaiting(fetches[1]))
  }

  @Test func downloadOfAnotherProcessIsAskedAboutOnceBeforeItsTurn() throws {
    var registry = registry()
    let (_, fetches, _) = try beginThree(&registry)
    _ = registry.prepared(fetches[1], held)
    _ = registry.prepared(fetches[2], held)

    let next = endFirst(of: fetches, in: &registry)

    #expect(next.questions.map(\.id) == [fetches[1]], "its turn has come, and not that of the last one")
  }

  @Test func fetchThatHasWaitedForAnotherProcessKeepsItsPlace() throws {
    var registry = registry()
    let (_, fetches, _) = try beginThree(&registry)
    // Another process fetches the first image, and fails while this one is loading the second.
    _ = registry.prepared(fetches[0], held)
    _ = registry.prepared(fetches[1], lock())
    _ = registry.takePreparation(of: fetches[1])
    _ = untilChecked(&registry)
    #expect(registry.checkedLocks([:]).lookups == [fetches[0]])
    _ = registry.lookedUp(fetches[0], DiskFind())

    let next = registry.fetchEnded(fetches[1], FetchEnd(.bytes(bytes)))

    #expect(next.questions.first.map { $0.id == fetches[0] && !$0.isEarly } == true)
  }

  @Test("a reload that joins while the disk is asked waits for no other process", arguments: [false, true])
  func reloadWaitsForNoOtherProcess(isEarly: Bool) throws {
    var registry = registry()
    let (_, fetches, _) = try beginThree(&registry)
    let fetch = fetches[isEarly ? 1 : 0]
    let joining = registry.start(Caller(request(isEarly ? "b.jpg" : "a.jpg", policy: .reload)))
    #expect(joining.actions.lookups.isEmpty && joining.actions.questions.isEmpty)
    if isEarly {
      let next = endFirst(of: fetches, in: &registry)
      #expect(next.fetches.isEmpty && next.questions.isEmpty, "the early answer is awaited")
    }

    let again = registry.prepared(fetch, held)

    #expect(again.questions.map(\.takesLock) == [false] && again.questions.map(\.continues) == [true])
    #expect(registry.prepared(fetch, FetchPreparation()).fetches == [fetch])
  }

  @Test func reloadEndsTheWaitForAnotherProcess() throws {
    var registry = registry()
    let (_, fetch) = try begin(&registry)
    _ = registry.prepared(fetch, held)
    #expect(registry.fetches.locks.isWaiting(fetch))

    let joining = registry.start(Caller(request(policy: .reload))).actions

    #expect(!registry.fetches.locks.isWaiting(fetch))
    #expect(joining.questions.map(\.takesLock) == [false])
    #expect(registry.prepared(fetch, FetchPreparation()).fetches == [fetch])
  }

  @Test(
    "a download that is paused or offline releases its early lock", arguments: [nil, false, true] as [Bool?],
    [false, true])
  func downloadThatStopsReleasesItsEarlyLock(offlineWithCopy: Bool?, isAnswered: Bool) throws {
    var registry = registry()
    let (tasks, fetches, _) = try beginThree(
      &registry, finding: offlineWithCopy == true ? copy(age: 1000) : nil)
    let released = FakeLock()
    if isAnswered { _ = registry.prepared(fetches[1], lock(released)) }

    _ = offlineWithCopy == nil ? registry.setPaused(true, tasks[1]) : registry.setOffline(true)

    if !isAnswered { _ = registry.prepared(fetches[1], lock(released)) }
    #expect(released.releases == 1)
    _ = registry.prepared(fetches[0], lock())
    _ = registry.prepared(fetches[2], lock())
    #expect(registry.fetches.locks.isIdle)
  }

  @Test func fetchThatIsPausedDuringANewLookupReleasesItsLock() throws {
    var registry = registry()
    let (task, fetch) = try begin(&registry, finding: copy(age: 1000))
    let taken = FakeLock()
    #expect(registry.prepared(fetch, lock(taken, secondsSinceStore: 0)).lookups == [fetch])
    _ = registry.setPaused(true, task)

    _ = registry.lookedUp(fetch, DiskFind(copy: copy(age: 1000)))

    #expect(taken.releases == 1)
    #expect(registry.setPaused(false, task).map(words).contains("prepare a.jpg"))
  }

  @Test func earlyLockIsReleasedIfTheDownloadsAreSlow() throws {
    var registry = registry()
    let (_, fetches, _) = try beginThree(&registry)
    let released = FakeLock()
    _ = registry.prepared(fetches[1], lock(released))
    _ = registry.prepared(fetches[0], lock())
    registry.now = registry.now.advanced(bySeconds: EarlyAnswers.lifetime)

    _ = registry.woken(at: registry.now)

    #expect(released.releases == 1)
  }

  @Test func cancelledDownloadReleasesItsEarlyLock() throws {
    var registry = registry()
    let (tasks, fetches, _) = try beginThree(&registry)
    let released = [FakeLock(), FakeLock()]
    _ = registry.prepared(fetches[1], lock(released[0]))
    for task in tasks { _ = registry.cancel(task) }
    _ = registry.prepared(fetches[2], lock(released[1]))

    #expect(released.map(\.releases) == [1, 1])
    #expect(registry.loads.tree.isEmpty && registry.queue.activeCount == 0)
    #expect(registry.fetches.locks.isIdle)
  }

  @Test func fetchOfAnotherProcessIsAwaitedAndTheDiskIsLookedUpAgain() throws {
    var registry = registry()
    let (_, fetch) = try begin(&registry)

    #expect(registry.prepared(fetch, held).map(words).filter { $0 != "wake" } == [])
    #expect(registry.queue.activeCount == 0, "a fetch that waits takes no place of a download")
    #expect(untilChecked(&registry).map(words).contains("check 1 locks"))
    #expect(registry.checkedLocks([fetch: FetchLockProgress(received: 2)]).lookups.isEmpty)
    #expect(untilChecked(&registry).map(words).contains("check 1 locks"))
    #expect(registry.checkedLocks([:]).lookups == [fetch])

    let shown = registry.lookedUp(fetch, DiskFind(copy: copy(age: 0)))
    #expect(shown.map(words) == ["decode"])
  }

  @Test func processThatFailedIsReplaced() throws {
    var registry = registry()
    let (_, fetch) = try begin(&registry)
    _ = registry.prepared(fetch, held)
    _ = untilChecked(&registry)
    _ = registry.checkedLocks([:])

    let actions = registry.lookedUp(fetch, DiskFind())

    #expect(actions.map(words).contains("prepare a.jpg"))
    #expect(registry.prepared(fetch, lock()).map(words).contains("fetch a.jpg"))
  }

  @Test func processThatHangsIsNotWaitedFor() throws {
    var registry = registry()
    let (_, fetch) = try begin(&registry)
    _ = registry.prepared(fetch, held)
    registry.now = registry.now.advanced(bySeconds: FetchLocks.patience)
    let checks = registry.woken(at: registry.now)
    #expect(checks.map(words).contains("check 1 locks"))

    let actions = registry.checkedLocks([fetch: FetchLockProgress(received: 1)])

    #expect(actions.fetches == [fetch])
    #expect(registry.takePreparation(of: fetch) == nil)
  }

  @Test func diskThatDoesNotAnswerDelaysNoTransferForLong() throws {
    var registry = registry()
    let (_, fetch) = try begin(&registry)
    registry.now = registry.now.advanced(bySeconds: FetchLocks.answerLimit)

    #expect(registry.woken(at: registry.now).fetches == [fetch])

    let late = FakeLock()
    #expect(registry.prepared(fetch, lock(late)).fetches.isEmpty)
    #expect(late.releases == 1)
  }

  @Test func staleImageIsShownDuringTheWait() throws {
    var registry = registry(staleAfter: 1)
    let (_, fetch) = try begin(&registry, finding: copy(age: 1000))
    _ = registry.prepared(fetch, held)
    registry.now = registry.now.advanced(bySeconds: 1)
    #expect(registry.overdueCopies() == [fetch])

    let actions = registry.serveCopy(of: fetch)

    #expect(actions.map(words).contains("decode"))
    #expect(registry.queue.activeCount == 0)
  }

  @Test(arguments: [false, true]) func cancelledFetchReleasesItsLock(isWaiting: Bool) throws {
    var registry = registry()
    let (task, fetch) = try begin(&registry)
    let released = FakeLock()
    _ = registry.prepared(fetch, isWaiting ? held : lock(released))
    _ = registry.cancel(task)
    #expect(registry.loads.tree.isEmpty && registry.queue.activeCount == 0)
    #expect(released.releases == (isWaiting ? 0 : 1))
    #expect(untilChecked(&registry).isEmpty)
  }

  @Test func answerAfterTheCancellationReleasesTheLock() throws {
    var registry = registry()
    let (task, fetch) = try begin(&registry)
    _ = registry.cancel(task)
    let released = FakeLock()
    #expect(registry.prepared(fetch, lock(released)).isEmpty)
    #expect(released.releases == 1)
  }

  @Test func pausedFetchReleasesItsLockAndAsksAgain() throws {
    var registry = registry()
    let (task, fetch) = try begin(&registry)
    let released = FakeLock()
    _ = registry.prepared(fetch, lock(released))
    #expect(registry.setPaused(true, task).map(words) == ["pause fetch"])
    #expect(released.releases == 1)
    #expect(registry.setPaused(false, task).map(words).contains("prepare a.jpg"))
  }

  @Test func pausedFetchThatWaitedGoesOnWhenItIsResumed() throws {
    var registry = registry()
    let (task, fetch) = try begin(&registry)
    _ = registry.prepared(fetch, held)
    _ = registry.setPaused(true, task)
    _ = untilChecked(&registry)
    #expect(registry.checkedLocks([:]).lookups == [fetch])
    #expect(registry.lookedUp(fetch, DiskFind()).map(words).filter { $0 != "wake" } == [])
    #expect(registry.setPaused(false, task).map(words).contains("prepare a.jpg"))
  }

  @Test func lockIsKeptForTheTransferAfterANewLookup() throws {
    var registry = registry()
    let (_, fetch) = try begin(&registry, finding: copy(age: 1000))
    let taken = FakeLock()
    #expect(registry.prepared(fetch, lock(taken, secondsSinceStore: 0)).lookups == [fetch])

    let actions = registry.lookedUp(fetch, DiskFind(copy: copy(age: 1000)))

    #expect(actions.fetches == [fetch], "the lock is not asked for again")
    #expect(registry.takePreparation(of: fetch)?.hold != nil)
  }

  @Test func lockIsReleasedIfTheNewLookupFindsAFreshResponse() throws {
    var registry = registry()
    let (_, fetch) = try begin(&registry)
    let taken = FakeLock()
    _ = registry.prepared(fetch, lock(taken, secondsSinceStore: 0))

    #expect(registry.lookedUp(fetch, DiskFind(copy: copy(age: 0))).map(words) == ["decode"])
    #expect(taken.releases == 1)
  }

  @Test("a refresh is served by what another process has fetched meanwhile, and by nothing older")
  func refreshIsServedByANewerResponse() throws {
    for isNewer in [true, false] {
      var registry = registry()
      let old = copy(age: 10)
      let (_, fetch) = try begin(&registry, request(policy: .refresh), finding: old)
      _ = registry.prepared(fetch, held)
      _ = untilChecked(&registry)
      _ = registry.checkedLocks([:])

      let actions = registry.lookedUp(fetch, DiskFind(copy: isNewer ? copy(age: 1) : old))

      #expect(actions.map(words).contains(isNewer ? "decode" : "prepare a.jpg"))
    }
  }

  @Test(
    "what another process has fetched is confirmed if the body is as before, and a new image otherwise",
    arguments: [false, true])
  func newerResponseWithAnotherBodyIsANewImage(hasDigests: Bool) throws {
    for body in [1, 2] as [UInt8] {
      var registry = registry()
      let digest = { (body: UInt8) -> BodyDigest? in
        hasDigests ? BodyDigest(high: 0, low: UInt64(body)) : nil
      }
      let old = copy(age: 1000, digest: digest(1))
      let (_, fetch) = try begin(&registry, request(policy: .refresh), finding: old)
      _ = registry.prepared(fetch, held)
      _ = untilChecked(&registry)
      _ = registry.checkedLocks([:])

      let newer = copy(age: 1, body: [body], digest: digest(body))
      let decoding = registry.lookedUp(fetch, DiskFind(copy: newer))
      let storing = registry.decodeEnded(
        try decodeID(decoding), .success(.solid(width: 8, height: 8)))
      let delivering = registry.storeEnded(try processedImageID(storing))

      let responses = delivering.compactMap {
        if case .deliver(_, .success(let response)) = $0 { response } else { nil }
      }
      #expect(responses.map(\.freshness) == [body == 1 ? .revalidated : .fresh])
    }
  }

  @Test func fetchThatWaitsForAnotherProcessFailsOfflineIfTheDiskHangs() throws {
    var registry = registry()
    let (task, fetch) = try begin(&registry)
    _ = registry.prepared(fetch, held)
    #expect(!registry.setOffline(true).contains(.deliver([task], .failure(.offline))))
    #expect(untilChecked(&registry).map(words).contains("check 1 locks"))

    registry.now = registry.now.advanced(bySeconds: FetchLocks.answerLimit)

    #expect(registry.woken(at: registry.now).contains(.deliver([task], .failure(.offline))))
  }

  @Test("the answer of the disk is of no use after the downloader went offline", arguments: [false, true])
  func answerAfterTheDownloaderWentOfflineIsIgnored(isHeldElsewhere: Bool) throws {
    var registry = registry()
    let (_, fetch) = try begin(&registry, finding: copy(age: 1000))
    let decoding = registry.setOffline(true)
    #expect(registry.loads.tree.undecodedBytes == 1)

    let released = FakeLock()
    #expect(registry.prepared(fetch, isHeldElsewhere ? held : lock(released)) == [])

    #expect(released.releases == (isHeldElsewhere ? 0 : 1))
    let storing = registry.decodeEnded(try decodeID(decoding), .success(.solid(width: 8, height: 8)))
    #expect(registry.loads.tree.undecodedBytes == 0)
    #expect(registry.storeEnded(try processedImageID(storing)).map(words).contains("deliver to 1"))
    #expect(registry.loads.tree.isEmpty && untilChecked(&registry).isEmpty)
  }

  @Test("requests that are not stored, and that ask for a range or a reload, take no lock")
  func requestsThatAreNotStoredTakeNoLock() throws {
    var memoryOnly = request()
    memoryOnly.cache = .memoryOnly
    var ranged = request()
    ranged.headers = ["Range": "bytes=0-9"]
    for request in [memoryOnly, ranged] {
      var registry = registry()
      var actions = registry.start(Caller(request)).actions
      if let fetch = actions.lookups.first { actions = registry.lookedUp(fetch, DiskFind()) }
      #expect(actions.fetches.count == 1)
    }
    var registry = registry()
    let actions = registry.start(Caller(request(policy: .reload))).actions
    let questions = actions.questions
    #expect(questions.map(\.takesLock) == [false] && questions.map(\.continues) == [true])
  }
}
