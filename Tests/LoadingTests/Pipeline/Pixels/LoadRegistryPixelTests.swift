import FoundationEssentials
import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Stored responses with only their heads in memory, because the pixel cache had images or the memory was full.
@Suite struct LoadRegistryPixelTests: RegistrySteps {
  private static let body: [UInt8] = [1, 2, 3]
  private static let digest = BodyDigest(high: 1, low: 2)
  private let small = request(target: Self.small)
  private let full = request()
  private let pixels = Image.solid(width: 8, height: 8)

  private var probe: Caller {
    Caller(request(policy: .refresh, target: Self.small), purpose: .probe)
  }

  private struct Named: ImageTransform {
    let identifier = "named"
    func apply(to image: Image) throws(ImageError) -> Image { image }
  }

  private func registry(staleAfter: Double = .infinity, copyLimit: Int = .max) -> LoadRegistry {
    LoadRegistry(disk: DiskPlan(isEnabled: true, staleAfter: staleAfter, copyLimit: copyLimit))
  }

  private func copy(
    age: Double, _ contents: StoredCopy.Contents, control: String = "max-age=60", name: String = "a.jpg"
  ) -> StoredCopy {
    let headers: HTTPHeaders = ["Cache-Control": control, "ETag": "\"1\""]
    let stored = StoredResponse(
      response: TransportResponse(url: url(name), status: 200, headers: headers), body: contents.body,
      requested: 1000 - age, received: 1000 - age)
    return StoredCopy(stored, contents, at: 1000, rules: FreshnessRules())
  }

  /// A stored response whose image at the size `small` is in the pixel cache, and whose body was not read.
  private func head(age: Double) -> StoredCopy {
    let key = ProcessedImageKey(small, additionalIdentifier: nil)
    return copy(age: age, .init(isBodyOnDisk: true, digest: Self.digest, images: [key: pixels]))
  }

  /// The same response with its body, or a response with another body.
  private func whole(age: Double, digest: BodyDigest = Self.digest) -> StoredCopy {
    copy(age: age, .init(body: Self.body, digest: digest))
  }

  /// The end of a conditional request that the server has answered with a 304.
  private func confirmation(of copy: StoredCopy) -> FetchEnd {
    var bytes = copy.bytes(revalidatedAs: copy.storedResponse, TransportMetrics())
    bytes.storedResponse = copy.storedResponse
    return .success(bytes)
  }

  private func bodies(_ actions: [LoadAction]) -> [[UInt8]] {
    actions.compactMap { if case .decode(_, let body, _, _) = $0 { body } else { nil } }
  }

  private func delivered(_ actions: [LoadAction]) -> [ImageResponse] {
    actions.compactMap { if case .deliver(_, .success(let response)) = $0 { response } else { nil } }
  }

  private func failures(_ actions: [LoadAction]) -> [ImageError] {
    actions.compactMap { if case .deliver(_, .failure(let error)) = $0 { error } else { nil } }
  }

  /// Starts a load at the size `small` whose server is asked about the stored response. Returns the fetch.
  private func askServer(
    _ registry: inout LoadRegistry, for purpose: LoadPurpose = .application
  ) throws -> (task: TaskID, fetch: FetchID, actions: [LoadAction]) {
    let (task, started) = registry.start(Caller(small, purpose: purpose))
    let fetch = try #require(started.lookups.first)
    #expect(registry.need(of: fetch, findsPixels: true).images.map(\.key.decode.target) == [Self.small])
    let actions = registry.lookedUp(fetch, DiskFind(copy: head(age: 100)))
    #expect(actions.fetches == [fetch])
    return (task, fetch, actions)
  }

  // MARK: Confirmed responses

  @Test func confirmedImageOfThePixelCacheNeedsNoBody() throws {
    var registry = registry()
    let fetch = try askServer(&registry).fetch

    var actions = registry.fetchEnded(fetch, confirmation(of: head(age: 100)))
    #expect(actions.map(words) == ["store -", "keep"])
    actions = registry.storeEnded(try processedImageID(actions))

    let response = try #require(delivered(actions).first)
    #expect(response.image === pixels && response.isFromPixelCache && response.data == nil)
    #expect(response.freshness == .revalidated)
    #expect(registry.loads.tree.isEmpty)
  }

  @Test func bodyOfAConfirmedResponseIsReadForAnotherSize() throws {
    var registry = registry()
    let fetch = try askServer(&registry).fetch
    #expect(registry.start(Caller(full)).actions == [])

    var actions = registry.fetchEnded(fetch, confirmation(of: head(age: 100)))
    #expect(actions.lookups == [fetch] && actions.count == 1)
    #expect(registry.need(of: fetch, findsPixels: true).needsDigest)
    #expect(registry.need(of: fetch, findsPixels: true).images.isEmpty)

    actions = registry.lookedUp(fetch, DiskFind(copy: whole(age: 100)))
    #expect(bodies(actions) == [Self.body])
    #expect(actions.stores.count == 1)
    let small = delivered(registry.storeEnded(try processedImageID(actions)))
    #expect(small.map(\.freshness) == [.revalidated] && small.first?.image === pixels)

    let decoded = Image.solid(width: 64, height: 48)
    actions = registry.decodeEnded(try decodeID(actions), .success(decoded))
    let other = delivered(registry.storeEnded(try processedImageID(actions)))
    #expect(other.map(\.freshness) == [.revalidated] && other.first?.image === decoded)
    #expect(registry.loads.tree.isEmpty)
  }

  @Test func confirmedResponseWhoseBodyIsDamagedIsFetchedWithoutACondition() throws {
    var registry = registry()
    let fetch = try askServer(&registry).fetch
    #expect(registry.start(Caller(full)).actions == [])
    _ = registry.fetchEnded(fetch, confirmation(of: head(age: 100)))

    var actions = registry.lookedUp(fetch, DiskFind())

    #expect(actions.fetches == [fetch] && bodies(actions) == [] && failures(actions) == [])
    #expect(registry.fetches.disk[fetch].copy == nil, "the request has no validators")
    actions = registry.fetchEnded(fetch, .success(bytes))
    #expect(bodies(actions) == [bytes.body, bytes.body], "both sizes are made from the new response")
  }

  @Test func confirmedResponseThatWasReplacedOnDiskIsShownAnew() throws {
    var registry = registry()
    let fetch = try askServer(&registry).fetch
    #expect(registry.start(Caller(full)).actions == [])
    _ = registry.fetchEnded(fetch, confirmation(of: head(age: 100)))

    let other = whole(age: 0, digest: BodyDigest(high: 3, low: 4))
    let actions = registry.lookedUp(fetch, DiskFind(copy: other))

    #expect(bodies(actions) == [Self.body, Self.body], "old pixels do not belong to the new body")
    #expect(actions.stores.isEmpty)
  }

  @Test func bodyThatIsReadTooLateIsFetchedWithoutACondition() throws {
    var registry = registry()
    let fetch = try askServer(&registry).fetch
    #expect(registry.start(Caller(full)).actions == [])
    _ = registry.fetchEnded(fetch, confirmation(of: head(age: 100)))

    let actions = registry.lookupSkipped(fetch, nil)

    #expect(actions.fetches == [fetch])
    #expect(registry.fetches.disk[fetch].copy == nil)
  }

  @Test func encodedBytesAreReadAlthoughTheImageIsInMemory() throws {
    var registry = registry()
    let fetch = try askServer(&registry).fetch
    var keeping = small
    keeping.keepsData = true
    #expect(registry.start(Caller(keeping)).actions == [])
    let image = try #require(registry.loads.tree.images(of: fetch).first)

    var end = confirmation(of: head(age: 100))
    end.confirmed = [image: pixels]
    var actions = registry.fetchEnded(fetch, end)
    #expect(delivered(actions).isEmpty && actions.lookups == [fetch])

    actions = registry.lookedUp(fetch, DiskFind(copy: whole(age: 100)))
    let response = try #require(delivered(registry.storeEnded(try processedImageID(actions))).first)
    #expect(response.data == Self.body && response.image === pixels)
  }

  // MARK: Stored responses that are shown

  @Test func callerOfAnotherSizeDoesNotJoinAShownResponseWithoutItsBody() throws {
    var registry = registry()
    let (_, fetch, asked) = try askServer(&registry, for: .slot)
    #expect(asked.contains(.serveCopy(fetch)))
    #expect(registry.start(probe).actions == [])
    let shown = registry.serveCopy(of: fetch, atOnce: true)
    #expect(shown.stores.count == 1, "the image of the pixel cache is being stored")
    #expect(registry.start(Caller(full)).actions == [])

    let actions = registry.fetchEnded(fetch, confirmation(of: head(age: 100)))
    #expect(actions.lookups == [fetch] && bodies(actions) == [])

    #expect(bodies(registry.lookedUp(fetch, DiskFind(copy: whole(age: 100)))) == [Self.body])
  }

  @Test func slotOfAnotherSizeIsNotServedByAShownResponseWithoutItsBody() throws {
    var registry = registry()
    let fetch = try askServer(&registry, for: .slot).fetch
    #expect(registry.start(probe).actions == [])
    #expect(registry.serveCopy(of: fetch, atOnce: true).stores.count == 1)
    #expect(registry.start(Caller(full, purpose: .slot)).actions == [.serveCopy(fetch)])

    var actions = registry.serveCopy(of: fetch, atOnce: true)
    let stored = try #require(actions.lookups.first)
    #expect(stored != fetch && bodies(actions) == [])

    actions = registry.lookedUp(stored, DiskFind(copy: whole(age: 100)))
    #expect(bodies(actions) == [Self.body])
    let decoded = registry.decodeEnded(try decodeID(actions), .success(.solid(width: 64, height: 48)))
    let response = try #require(delivered(registry.storeEnded(try processedImageID(decoded))).first)
    #expect(response.image.pixelWidth == 64 && response.freshness == .stale(age: 100, reason: nil))
  }

  /// Starts two slots, of which the second one needs the body of the stored response that both are shown.
  private func serveSlots(
    _ registry: inout LoadRegistry, withProbe: Bool
  ) throws -> (fetch: FetchID, stored: FetchID, tasks: [TaskID]) {
    let (first, started) = registry.start(Caller(small, purpose: .slot))
    let fetch = try #require(started.lookups.first)
    let second = registry.start(Caller(full, purpose: .slot)).task
    _ = registry.lookedUp(fetch, DiskFind(copy: head(age: 100)))
    if withProbe {
      _ = registry.start(probe)
    }
    let actions = registry.serveCopy(of: fetch, atOnce: true)
    return (fetch, try #require(actions.lookups.first), [first, second])
  }

  @Test func callersWaitForTheServerIfTheStoredResponseIsGone() throws {
    var registry = registry()
    let (fetch, stored, tasks) = try serveSlots(&registry, withProbe: true)

    var actions = registry.lookedUp(stored, DiskFind())

    #expect(failures(actions) == [])
    #expect(tasks.map { registry.loads.tree.fetch(of: $0) } == [fetch, fetch])
    #expect(registry.loads.tree[stored] == nil)
    #expect(registry.fetches.disk[fetch].copy == nil)
    // The server confirms a response that is no longer there.
    actions = registry.fetchEnded(fetch, FetchEnd(.needsWhole))
    #expect(actions.fetches == [fetch])
    #expect(bodies(registry.fetchEnded(fetch, .success(bytes))).count == 2)
  }

  @Test func callersAskTheServerThemselvesIfTheStoredResponseIsGone() throws {
    var registry = registry()
    let (fetch, stored, tasks) = try serveSlots(&registry, withProbe: false)
    #expect(registry.loads.tree[fetch] == nil)
    // A cache-only caller has joined.
    let cacheOnly = registry.start(Caller(request(policy: .cacheOnly))).task

    let actions = registry.lookedUp(stored, DiskFind())

    #expect(actions.contains(.deliver([cacheOnly], .failure(.notCached))))
    #expect(failures(actions) == [.notCached])
    #expect(actions.fetches == [stored])
    #expect(tasks.map { registry.loads.tree.fetch(of: $0) } == [stored, stored])
    let decoded = registry.fetchEnded(stored, .success(bytes))
    #expect(bodies(decoded).count == 2)
  }

  @Test func callersWaitForTheServerIfTheDiskDoesNotRespond() throws {
    var registry = registry()
    let (fetch, stored, tasks) = try serveSlots(&registry, withProbe: true)
    registry.now = 500_000_000
    #expect(registry.woken(at: registry.now).contains(.skipLookup(stored)))

    #expect(failures(registry.lookupSkipped(stored, nil)) == [])

    #expect(tasks.map { registry.loads.tree.fetch(of: $0) } == [fetch, fetch])
  }

  @Test func callersAskTheServerAlsoAfterTheyHaveWaitedForAnotherProcess() throws {
    var registry = LoadRegistry(disk: DiskPlan(isEnabled: true), locks: FetchLocks(isEnabled: true))
    let (_, stored, tasks) = try serveSlots(&registry, withProbe: false)
    #expect(registry.lookedUp(stored, DiskFind()).map(words).contains("prepare a.jpg"))
    _ = registry.prepared(stored, FetchPreparation(lock: .heldByAnother(FetchLockProgress(received: 1))))
    for _ in 0..<3 {
      registry.now = registry.now.advanced(bySeconds: 0.1)
      _ = registry.woken(at: registry.now)
    }
    #expect(registry.checkedLocks([:]).lookups == [stored])
    // A cache-only caller does not wait for the server.
    let cacheOnly = registry.start(Caller(request(policy: .cacheOnly)))
    #expect(cacheOnly.actions.lookups.count == 1)
    #expect(registry.loads.tree.fetch(of: cacheOnly.task) != stored)

    // The other process has failed.
    let actions = registry.lookedUp(stored, DiskFind())

    #expect(failures(actions) == [] && actions.map(words).contains("prepare a.jpg"))
    #expect(registry.prepared(stored, FetchPreparation()).fetches == [stored])
    #expect(tasks.map { registry.loads.tree.fetch(of: $0) } == [stored, stored])
  }

  @Test func missOfTheServerIsFinal() throws {
    var registry = registry()
    let (_, stored, _) = try serveSlots(&registry, withProbe: false)
    #expect(registry.lookedUp(stored, DiskFind()).fetches == [stored])

    // A custom transport may fail with this error.
    #expect(failures(registry.fetchEnded(stored, .failure(.notCached))) == [.notCached])
    #expect(registry.loads.tree.isEmpty)
  }

  @Test func failureOfTheServerIsNotedWhileTheBodyIsRead() throws {
    var registry = registry()
    let (fetch, stored, _) = try serveSlots(&registry, withProbe: true)
    _ = registry.fetchEnded(fetch, .failure(.status(503)))

    let actions = registry.lookedUp(stored, DiskFind(copy: whole(age: 100)))
    let response = try #require(delivered(registry.storeEnded(try processedImageID(actions))).first)
    #expect(response.freshness == .stale(age: 100, reason: .status(503)))
  }

  @Test func confirmationArrivesWhileTheBodyIsRead() throws {
    var registry = registry()
    let (fetch, stored, _) = try serveSlots(&registry, withProbe: true)
    let lock = FetchLockHold(FakeLock()) { $0() }
    var end = confirmation(of: head(age: 100))
    guard case .bytes(var confirmed) = end.outcome else { return }
    confirmed.lock = lock
    end.outcome = .bytes(confirmed)
    #expect(registry.fetchEnded(fetch, end).lookups == [])

    let actions = registry.lookedUp(stored, DiskFind(copy: whole(age: 100)))
    #expect(bodies(actions) == [Self.body])
    let kept = actions.compactMap { if case .keep(let bytes, _) = $0 { bytes } else { nil } }
    #expect(kept.count == 1 && kept.first?.lock === lock, "the lock is held until the head is stored")
    let response = try #require(delivered(registry.storeEnded(try processedImageID(actions))).first)
    #expect(response.freshness == .revalidated)
  }

  @Test func bodyOfAStaleResponseIsReadAfterALateLookup() throws {
    var registry = registry()
    let fetch = try #require(registry.start(Caller(small)).actions.lookups.first)
    #expect(registry.lookupSkipped(fetch, nil).fetches == [fetch])
    #expect(registry.fetchEnded(fetch, .failure(.status(500))) == [], "the late lookup is awaited")
    #expect(registry.start(Caller(full)).actions == [])

    var actions = registry.lookedUp(fetch, DiskFind(copy: head(age: 100)))
    #expect(actions.lookups == [fetch])

    actions = registry.lookedUp(fetch, DiskFind(copy: whole(age: 100)))
    #expect(bodies(actions) == [Self.body])
    let response = try #require(delivered(registry.storeEnded(try processedImageID(actions))).first)
    #expect(response.freshness == .stale(age: 100, reason: .status(500)))
  }

  @Test(arguments: [ImageRequest.CachePolicy.refresh, .reload])
  func strictRequestDoesNotJoinAFetchThatReadsABody(policy: ImageRequest.CachePolicy) throws {
    var registry = registry()
    let fetch = try #require(registry.start(Caller(small)).actions.lookups.first)
    _ = registry.start(Caller(full))
    #expect(registry.lookedUp(fetch, DiskFind(copy: head(age: 0))).lookups == [fetch])

    let actions = registry.start(Caller(request(policy: policy))).actions

    #expect(policy == .reload ? actions.fetches.count == 1 : actions.lookups.count == 1)
    #expect(actions.fetches.contains(fetch) == false && actions.lookups.contains(fetch) == false)
  }

  @Test func digestIsNeededIfTheServerIsAskedAboutAFreshResponse() throws {
    for policy in [ImageRequest.CachePolicy.useCache, .refresh] {
      var registry = registry()
      let fetch = try #require(registry.start(Caller(request(policy: policy))).actions.lookups.first)
      #expect(registry.need(of: fetch, findsPixels: true).needsDigest == (policy == .refresh))
      #expect(registry.need(of: fetch, findsPixels: true).images.count == 1)
    }
  }

  // MARK: Joining callers

  @Test func laterCallerOfAnotherSizeLooksUpTheDiskAgain() throws {
    var registry = registry()
    let fetch = try #require(registry.start(Caller(small)).actions.lookups.first)
    #expect(registry.lookedUp(fetch, DiskFind(copy: head(age: 0))).stores.count == 1)

    let actions = registry.start(Caller(full)).actions

    let other = try #require(actions.lookups.first)
    #expect(other != fetch && bodies(actions) == [])
    #expect(registry.need(of: other, findsPixels: true).images.map(\.key.decode.target) == [nil])
  }

  @Test func callerWhoKeepsDataReadsTheBody() throws {
    var keeping = small
    keeping.keepsData = true
    var registry = registry()
    let fetch = try #require(registry.start(Caller(keeping)).actions.lookups.first)
    #expect(registry.need(of: fetch, findsPixels: true).images.isEmpty)

    // The caller joins after the need was determined.
    var joined = self.registry()
    let shared = try #require(joined.start(Caller(small)).actions.lookups.first)
    #expect(joined.start(Caller(keeping)).actions == [])
    #expect(joined.lookedUp(shared, DiskFind(copy: head(age: 0))).lookups == [shared])
    let actions = joined.lookedUp(shared, DiskFind(copy: whole(age: 0)))
    let response = try #require(delivered(joined.storeEnded(try processedImageID(actions))).first)
    #expect(response.data == Self.body && response.image === pixels)
  }

  @Test func otherTransformOfAnImageOfThePixelCacheIsMadeFromTheBody() throws {
    var registry = registry()
    let fetch = try #require(registry.start(Caller(small)).actions.lookups.first)
    _ = registry.start(Caller(full))
    _ = registry.lookedUp(fetch, DiskFind(copy: head(age: 0)))
    let read = registry.lookedUp(fetch, DiskFind(copy: whole(age: 0)))
    #expect(read.stores.count == 1 && bodies(read) == [Self.body])

    let actions = registry.start(Caller(request(target: Self.small, transforms: [Named()]))).actions

    #expect(actions.map(words) == ["decode small"] && bodies(actions) == [Self.body])
    let decoded = registry.decodeEnded(try decodeID(actions), .success(.solid(width: 8, height: 8)))
    #expect(decoded.map(words) == ["transform [\"named\"]"], "the image of the pixel cache is stored once")
  }

  @Test("the first frame waits for a decode only if a slot needs its image", arguments: [false, true])
  func decodeIsAwaitedOnlyForASlotWithoutItsImage(bothAreSlots: Bool) throws {
    var registry = registry()
    let fetch = try #require(registry.start(Caller(small, purpose: .awaitedSlot)).actions.lookups.first)
    let other = request(target: Self.small, transforms: [Named()])
    _ = registry.start(Caller(other, purpose: bothAreSlots ? .awaitedSlot : .application))
    let images = [ProcessedImageKey(small, additionalIdentifier: nil): pixels]
    let stored = copy(age: 0, .init(body: Self.body, digest: Self.digest, images: images))

    let actions = registry.lookedUp(fetch, DiskFind(copy: stored))

    #expect(actions.stores.count == 1)
    #expect(registry.loads.tree.isAwaited(try decodeID(actions)) == bothAreSlots)
  }

  // MARK: Memory

  @Test func fullMemoryLeavesRequestsConditional() throws {
    var registry = registry(copyLimit: Self.body.count)
    let rules = StoredResponseRules(ImageDownloader.Configuration())
    var fetches: [FetchID] = []
    let names = ["a.jpg", "b.jpg", "c.jpg"]
    for name in names {
      let fetch = try #require(registry.start(Caller(request(name))).actions.lookups.first)
      fetches.append(fetch)
      let stored = copy(
        age: 100, .init(body: Self.body, digest: Self.digest), control: "max-age=60, must-revalidate",
        name: name)
      #expect(registry.lookedUp(fetch, DiskFind(copy: stored)).fetches == [fetch])
    }

    let copies = fetches.map { registry.fetches.disk[$0].copy }
    #expect(copies.prefix(2).map { $0?.contents.byteCount } == [0, 0])
    #expect(copies.prefix(2).map { $0?.storedResponse.body } == [[], []])
    for (name, copy) in zip(names, copies) {
      #expect(rules.validators(for: request(name), copy)["If-None-Match"] == "\"1\"")
    }
    let head = try #require(copies[0])
    var actions = registry.fetchEnded(fetches[0], confirmation(of: head))
    #expect(actions.lookups == [fetches[0]])
    let again = copy(age: 100, .init(body: Self.body, digest: Self.digest))
    actions = registry.lookedUp(fetches[0], DiskFind(copy: again))
    #expect(bodies(actions) == [Self.body])
  }

  @Test func responseThatMayBeShownShrinksAndIsReadAgain() throws {
    var registry = registry(copyLimit: Self.body.count)
    let first = try #require(registry.start(Caller(full)).actions.lookups.first)
    #expect(registry.lookedUp(first, DiskFind(copy: whole(age: 100))).fetches == [first])

    let other = registry.start(Caller(request("b.jpg"))).actions
    #expect(other.lookups.count == 1, "no lookup waits for a server")
    #expect(registry.fetches.disk[first].copy?.contents.byteCount == 0)

    #expect(registry.fetchEnded(first, .failure(.status(503))).lookups == [first])
    let actions = registry.lookedUp(first, DiskFind(copy: whole(age: 100)))
    #expect(bodies(actions) == [Self.body] && failures(actions) == [])
  }

  @Test func releasedBodyIsReadAtOnceWhenTheDownloaderGoesOffline() throws {
    var registry = registry()
    let fetch = try askServer(&registry).fetch
    #expect(registry.start(Caller(full)).actions == [])

    #expect(registry.setOffline(true).lookups == [fetch])

    let actions = registry.lookedUp(fetch, DiskFind(copy: whole(age: 100)))
    #expect(bodies(actions) == [Self.body] && failures(actions) == [])
    let response = try #require(delivered(registry.storeEnded(try processedImageID(actions))).first)
    #expect(response.freshness == .stale(age: 100, reason: .offline))
  }

  @Test func failureIsReportedIfTheReleasedBodyIsGone() throws {
    var registry = registry(copyLimit: Self.body.count)
    let first = try #require(registry.start(Caller(full)).actions.lookups.first)
    _ = registry.lookedUp(first, DiskFind(copy: whole(age: 100)))
    _ = registry.start(Caller(request("b.jpg")))
    _ = registry.fetchEnded(first, .failure(.status(503)))

    #expect(failures(registry.lookedUp(first, DiskFind())) == [.status(503)])
  }
}
