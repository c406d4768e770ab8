import FoundationEssentials
import Testing
import VitrineConcurrency
import VitrineTesting

@testable import VitrineLoading

/// The source of the bytes of a fetch: the disk or a server.
struct FetchPlanTests {
  private var loads = Loads(tree: StageTree())
  private var plan = FetchPlan(
    undecodedBytesLimit: 3, transfers: TransferPlan(), disk: DiskPlan(isEnabled: true))

  private mutating func start(_ name: String = "a.jpg", for purpose: LoadPurpose = .application) -> StagePlace
  {
    start(request(name), for: purpose)
  }

  private mutating func start(_ request: ImageRequest, for purpose: LoadPurpose = .application) -> StagePlace
  {
    let place = loads.tree.join(Caller(request, purpose: purpose), fetch: nil)
    plan.join(place.fetch, request, isNew: true, in: &loads)
    plan.enqueue(place.fetch, request.priority, at: 0)
    return place
  }

  /// Starts what may begin now. Returns the fetches that are looked up and those that are downloaded.
  private mutating func admit() -> (lookups: [FetchID], downloads: [FetchID]) {
    let failed = plan.startLookups(in: &loads)
    #expect(failed == nil)
    plan.startDownloads(in: &loads)
    let actions = loads.takeActions()
    return (
      actions.compactMap { if case .lookUp(let id, _, _) = $0 { id } else { nil } },
      actions.compactMap { if case .startFetch(let id, _) = $0 { id } else { nil } }
    )
  }

  @Test mutating func missIsDownloaded() {
    let fetch = start().fetch
    var started = admit()
    #expect(started.lookups == [fetch])
    #expect(started.downloads == [], "the disk is asked first")

    guard case .askServer = plan.lookedUp(fetch, DiskFind(), in: &loads) else {
      Issue.record("a miss does not lead to the server")
      return
    }
    plan.askServer(fetch, in: &loads)
    started = admit()
    #expect(started.downloads == [fetch])
  }

  @Test("a late lookup does not extend the wait for the server", arguments: [0.9, 2])
  mutating func lateLookupDoesNotExtendTheWaitForTheServer(seconds: Double) {
    plan.disk = DiskPlan(isEnabled: true, staleAfter: 1)
    let fetch = start().fetch
    _ = admit()
    let request: Int64 = 500_000_000
    loads.now = request
    guard case .askServer? = plan.lookupSkipped(fetch, nil, in: &loads) else {
      Issue.record("a late lookup does not lead to the server")
      return
    }
    plan.askServer(fetch, in: &loads)
    _ = admit()

    loads.now = request.advanced(bySeconds: seconds)
    let response = TransportResponse(url: url(), status: 200, headers: ["Cache-Control": "max-age=60"])
    let stored = StoredResponse(response: response, body: [1], requested: 900, received: 900)
    let copy = StoredCopy(stored, body: [1], at: 1000, rules: FreshnessRules())
    _ = plan.lookedUp(fetch, DiskFind(copy: copy), in: &loads)

    let actions = loads.takeActions()
    #expect(actions == [.wake(at: max(loads.now, request.advanced(bySeconds: 1)))])
  }

  /// A stale response that may be shown if the server fails.
  private var staleCopy: StoredCopy {
    let response = TransportResponse(url: url(), status: 200, headers: ["Cache-Control": "max-age=60"])
    let stored = StoredResponse(response: response, body: [1], requested: 900, received: 900)
    return StoredCopy(stored, body: [1], at: 1000, rules: FreshnessRules())
  }

  /// Starts a fetch whose server is asked about a stale response. Returns the actions of that step.
  private mutating func askServerAboutCopy(_ place: StagePlace) -> [LoadAction] {
    _ = admit()
    guard case .askServer = plan.lookedUp(place.fetch, DiskFind(copy: staleCopy), in: &loads) else {
      Issue.record("a stale response does not lead to the server")
      return []
    }
    plan.askServer(place.fetch, in: &loads)
    return loads.takeActions()
  }

  @Test mutating func slotIsServedWithoutADeadline() {
    plan.disk = DiskPlan(isEnabled: true, staleAfter: 1)
    let place = start(for: .slot)
    let actions = askServerAboutCopy(place)
    #expect(actions == [.serveCopy(place.fetch)])
  }

  @Test(arguments: [(LoadPurpose.application, true), (.slot, false)])
  mutating func otherLoadIsServedAtADeadline(purpose: LoadPurpose, showsStaleAtOnce: Bool) {
    plan.disk = DiskPlan(isEnabled: true, staleAfter: 1, showsStaleAtOnce: showsStaleAtOnce)
    let place = start(for: purpose)
    let actions = askServerAboutCopy(place)
    #expect(actions == [.wake(at: 1_000_000_000)])
  }

  @Test mutating func probeIsNotServed() {
    plan.disk = DiskPlan(isEnabled: true, staleAfter: 1)
    let place = start(for: .probe)
    let actions = askServerAboutCopy(place)
    #expect(actions == [])
  }

  @Test mutating func confirmationBelongsToTheFetchThatDecodesTheStoredResponse() {
    let place = start(for: .slot)
    _ = askServerAboutCopy(place)
    var found = plan.fetchOfCopy(of: place.fetch, in: loads.tree)
    #expect(found == nil)
    let added = plan.addFetchOfCopy(of: place.fetch, in: &loads)
    guard let (stored, bytes) = added else {
      Issue.record("the stored response is not decoded")
      return
    }
    found = plan.fetchOfCopy(of: place.fetch, in: loads.tree)
    #expect(found == nil, "the bytes have not been received")
    loads.tree.setPhase(.received(bytes), of: stored)
    found = plan.fetchOfCopy(of: place.fetch, in: loads.tree)
    #expect(found == stored)

    _ = admit()
    let confirmed = staleCopy.bytes(revalidatedAs: staleCopy.storedResponse, TransportMetrics())
    guard case .confirm(stored, _) = plan.ended(place.fetch, FetchEnd(.bytes(confirmed)), in: &loads) else {
      Issue.record("the response is decoded again")
      return
    }
  }

  // MARK: Late lookups

  @Test(
    "the lookup of a removed fetch is withdrawn, also if the network has gone ahead",
    arguments: [false, true])
  mutating func lookupOfARemovedFetchIsWithdrawn(isLate: Bool) {
    let place = start()
    _ = admit()
    if isLate, case .askServer? = plan.lookupSkipped(place.fetch, nil, in: &loads) {
      plan.askServer(place.fetch, in: &loads)
      let downloads = admit().downloads
      #expect(downloads == [place.fetch])
    }

    _ = loads.tree.leave(place.task)
    _ = loads.tree.removeIfUnwanted(place.processedImage)
    _ = loads.tree.removeIfUnwanted(place.decode)
    plan.removeIfUnwanted(place.fetch, in: &loads)
    let actions = loads.takeActions()
    #expect(actions == (isLate ? [.cancelFetch(place.fetch)] : []) + [.cancelLookup(place.fetch)])
    plan.lookupWithdrawn(place.fetch)
    #expect(plan.lookups.isIdle)
  }

  @Test mutating func responseWhoseBodyWasLateMayBeShownAgainOnceTheBodyHasBeenRead() {
    let fetch = start(for: .slot).fetch
    plan.disk.setCopy(staleCopy.head, of: fetch)
    #expect(plan.disk.mayServeCopy(of: fetch, in: loads.tree))
    plan.disk.noteLateCopy(fetch)
    #expect(!plan.disk.mayServeCopy(of: fetch, in: loads.tree))
    plan.disk.setCopy(staleCopy, of: fetch)
    #expect(plan.disk.mayServeCopy(of: fetch, in: loads.tree))
  }

  @Test(arguments: [(ImageError.status(503), true), (.status(404), false)])
  mutating func lateLookupIsAwaitedAfterARememberedFailure(failure: ImageError, isAwaited: Bool) {
    let fetch = start().fetch
    _ = admit()
    switch plan.lookupSkipped(fetch, failure, in: &loads) {
    case .wait?: #expect(isAwaited)
    case .fail(failure)?: #expect(!isAwaited)
    default: Issue.record("the server is asked again")
    }
    guard isAwaited else { return }
    guard case .decode(let bytes) = plan.lookedUp(fetch, DiskFind(copy: staleCopy), in: &loads) else {
      Issue.record("the stored response is not shown")
      return
    }
    #expect(bytes.freshness == .stale(age: 100, reason: failure))
  }

  @Test mutating func pausedFetchWithoutItsCopyDoesNotBeginASecondLookupBesideALateOne() {
    plan = FetchPlan(
      undecodedBytesLimit: 3, transfers: TransferPlan(), disk: DiskPlan(isEnabled: true, copyLimit: 2),
      locks: FetchLocks(isEnabled: true))
    let place = start()
    _ = askServerAboutCopy(place)
    _ = admit()
    // Another process has stored a response since the lookup, so the disk is looked up again.
    let lock = FetchLockHold(FakeLock()) { $0() }
    plan.prepared(
      place.fetch, FetchPreparation(lock: .acquired(lock, secondsSinceStore: 0)), in: &loads)
    var lookups = admit().lookups
    #expect(lookups == [place.fetch])
    if case .askServer? = plan.lookupSkipped(place.fetch, nil, in: &loads) {
      plan.askServer(place.fetch, in: &loads)
    }
    _ = loads.tree.setPaused(true, place.task)
    plan.holdOrRelease(place.fetch, in: &loads)

    // The next lookups need the room of the stored response.
    _ = askServerAboutCopy(start("b.jpg"))
    let other = start("c.jpg").fetch
    lookups = admit().lookups
    #expect(lookups == [other])
    #expect(plan.disk[place.fetch].isReleased)
    _ = loads.tree.setPaused(false, place.task)
    plan.holdOrRelease(place.fetch, in: &loads)

    lookups = admit().lookups
    #expect(lookups == [])
    _ = plan.lookedUp(place.fetch, DiskFind(copy: staleCopy), in: &loads)
    #expect(plan.disk[place.fetch].copy != nil, "the late lookup delivers the response")
    _ = plan.lookedUp(other, DiskFind(), in: &loads)
    #expect(plan.lookups.isIdle && !plan.lookups.hasLate)
  }

  // MARK: Offline

  @Test mutating func missingResponseFailsWhileOffline() {
    plan.setOffline(true, in: &loads)
    let fetch = start().fetch
    let lookups = admit().lookups
    #expect(lookups == [fetch])
    guard case .fail(.offline) = plan.lookedUp(fetch, DiskFind(), in: &loads) else {
      Issue.record("the server is asked")
      return
    }
  }

  @Test mutating func staleResponseIsShownWhileOffline() {
    plan.setOffline(true, in: &loads)
    let fetch = start().fetch
    _ = admit()
    guard case .decode(let bytes) = plan.lookedUp(fetch, DiskFind(copy: staleCopy), in: &loads) else {
      Issue.record("the server is asked")
      return
    }
    #expect(bytes.freshness == .stale(age: 100, reason: .offline))
  }

  @Test mutating func runningDownloadIsStoppedAndRefused() {
    let fetch = start().fetch
    _ = admit()
    _ = plan.lookedUp(fetch, DiskFind(), in: &loads)
    plan.askServer(fetch, in: &loads)
    let downloads = admit().downloads
    #expect(downloads == [fetch])

    plan.setOffline(true, in: &loads)
    let actions = loads.takeActions()
    #expect(actions == [.pauseFetch(fetch)])
    let refused = plan.refuseDownloads(in: &loads)
    #expect(refused.map(\.fetch) == [fetch])
    guard case .fail(.offline)? = refused.first?.step else {
      Issue.record("the load waits")
      return
    }
    #expect(plan.transfers.queue.activeCount == 0)
    let again = plan.refuseDownloads(in: &loads)
    #expect(again.isEmpty, "each download is refused once")
  }

  @Test mutating func downloadsStartAgainOnline() {
    plan.setOffline(true, in: &loads)
    plan.setOffline(false, in: &loads)
    let fetch = start().fetch
    _ = admit()
    _ = plan.lookedUp(fetch, DiskFind(), in: &loads)
    plan.askServer(fetch, in: &loads)
    let downloads = admit().downloads
    #expect(downloads == [fetch])
  }

  @Test mutating func undecodedBytesHoldBackFurtherWork() {
    let first = start()
    _ = admit()
    loads.tree.setPhase(.received(FetchedBytes(body: [1, 2, 3], response: nil)), of: first.fetch)
    let bytes = loads.tree.beginDecode(first.decode)
    #expect(bytes != nil)

    let second = start("b.jpg").fetch
    var lookups = admit().lookups
    #expect(lookups == [])
    let decode = loads.tree.endDecode(first.decode)
    #expect(decode != nil)
    lookups = admit().lookups
    #expect(lookups == [second])
  }

  /// Begins to decode a body of nine bytes, which is then the usual length.
  private mutating func beginDecodeOfNineBytes() -> StagePlace {
    let first = start()
    _ = admit()
    let body = FetchedBytes(body: Array(1...9), response: nil)
    _ = plan.ended(first.fetch, FetchEnd(.bytes(body), response: nil), in: &loads)
    loads.tree.setPhase(.received(body), of: first.fetch)
    let bytes = loads.tree.beginDecode(first.decode)
    #expect(bytes?.count == 9 && plan.usualBodyBytes == 9)
    return first
  }

  /// Twice the limit is the most for undecoded and arriving bodies together, each of which counts as much as the last ones.
  @Test mutating func arrivingBodiesCountWhileABodyIsNotDecoded() {
    plan = FetchPlan(undecodedBytesLimit: 20, transfers: TransferPlan(), disk: DiskPlan(isEnabled: false))
    let first = beginDecodeOfNineBytes()

    let others = (0..<5).map { start("\($0).jpg").fetch }
    var downloads = admit().downloads
    #expect(downloads == Array(others[..<3]), "9 bytes, and three times 9 that arrive")
    let decode = loads.tree.endDecode(first.decode)
    #expect(decode != nil)
    downloads = admit().downloads
    #expect(downloads == [others[3]], "all that a server may send at once")
  }

  @Test mutating func oneDownloadMayAlwaysRunBelowTheLimit() throws {
    plan = FetchPlan(undecodedBytesLimit: 10, transfers: TransferPlan(), disk: DiskPlan(isEnabled: false))
    _ = beginDecodeOfNineBytes()

    let others = (0..<2).map { start("\($0).jpg").fetch }
    let local = start(ImageRequest(url: try #require(URL(string: "data:,a")))).fetch
    let downloads = admit().downloads
    #expect(Set(downloads) == [others[0], local], "a data URL waits for no server")

    let long = FetchedBytes(body: Array(repeating: 0, count: 100), response: nil)
    _ = plan.ended(local, FetchEnd(.bytes(long), response: nil), in: &loads)
    #expect(plan.usualBodyBytes == 9, "the length of a data URL says nothing about servers")
  }

  @Test mutating func downloadOfAPausedCallerIsStopped() {
    let place = start()
    _ = admit()
    _ = plan.lookedUp(place.fetch, DiskFind(), in: &loads)
    plan.askServer(place.fetch, in: &loads)
    _ = admit()

    _ = loads.tree.setPaused(true, place.task)
    plan.holdOrRelease(place.fetch, in: &loads)
    let actions = loads.takeActions()
    #expect(actions == [.pauseFetch(place.fetch)])

    _ = loads.tree.setPaused(false, place.task)
    plan.holdOrRelease(place.fetch, in: &loads)
    let downloads = admit().downloads
    #expect(downloads == [place.fetch])
  }
}
