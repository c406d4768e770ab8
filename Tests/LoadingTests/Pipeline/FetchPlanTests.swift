import Testing
import VitrineConcurrency
import VitrineTesting

@testable import VitrineLoading

/// The source of the bytes of a fetch: the disk or a server.
struct FetchPlanTests {
  private var loads = Loads(tree: StageTree())
  private var plan = FetchPlan(
    undecodedBytesLimit: 3, transfers: TransferPlan(), disk: DiskPlan(isEnabled: true))

  private mutating func start(_ name: String = "a.jpg") -> StagePlace {
    let request = request(name)
    let place = loads.tree.join(Caller(request), fetch: nil)
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
