import FoundationEssentials
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Animated images of which the pixel cache has the first frame, and whose other frames are decoded from the body.
@Suite struct LoadRegistryFirstFrameTests: RegistrySteps {
  private static let body: [UInt8] = [1, 2, 3]
  private static let digest = BodyDigest(high: 1, low: 2)
  private let animated = request()
  private var onlyFirst: ImageRequest {
    var request = request()
    request.animation = .firstFrame
    return request
  }
  private let firstFrame = Image.solid(width: 8, height: 8)
  private let animation = Image(
    frames: [
      .init(bitmap: Image.solid(width: 8, height: 8).bitmap),
      .init(bitmap: Image.solid(width: 8, height: 8).bitmap),
    ])

  private func copy(age: Double, _ contents: StoredCopy.Contents) -> StoredCopy {
    let headers: HTTPHeaders = ["Cache-Control": "max-age=60", "ETag": "\"1\""]
    let stored = StoredResponse(
      response: TransportResponse(url: url(), status: 200, headers: headers), body: contents.body,
      requested: 1000 - age, received: 1000 - age)
    return StoredCopy(stored, contents, at: 1000, rules: FreshnessRules())
  }

  /// A stored response of which the first frame was found, and whose body was not read.
  private func head(age: Double = 0) -> StoredCopy {
    let key = ProcessedImageKey(animated, additionalIdentifier: nil)
    return copy(age: age, .init(isBodyOnDisk: true, digest: Self.digest, firstFrames: [key: firstFrame]))
  }

  private func whole(age: Double = 0) -> StoredCopy {
    copy(age: age, .init(body: Self.body, digest: Self.digest))
  }

  private func registry() -> LoadRegistry { LoadRegistry(disk: DiskPlan(isEnabled: true)) }

  /// The callers that are shown the first frame.
  private func shown(_ actions: [LoadAction]) -> [[TaskID]] {
    actions.compactMap { action in
      guard case .showMeanwhile(let tasks, let image) = action, image === firstFrame else { return nil }
      return tasks
    }
  }

  private func delivered(_ actions: [LoadAction]) -> [(tasks: [TaskID], response: ImageResponse)] {
    actions.compactMap {
      if case .deliver(let tasks, .success(let response)) = $0 { (tasks, response) } else { nil }
    }
  }

  private func failures(_ actions: [LoadAction]) -> [ImageError] {
    actions.compactMap { if case .deliver(_, .failure(let error)) = $0 { error } else { nil } }
  }

  /// Reads and decodes the body. Returns what is delivered.
  private func decode(
    _ fetch: FetchID, age: Double = 0, in registry: inout LoadRegistry
  ) throws -> (tasks: [TaskID], response: ImageResponse) {
    let read = registry.lookedUp(fetch, DiskFind(copy: whole(age: age)))
    let decoded = registry.decodeEnded(try decodeID(read), .success(animation))
    #expect(decoded.stores == [.downloader])
    let results = delivered(registry.storeEnded(try processedImageID(decoded)))
    #expect(results.count == 1)
    return try #require(results.first)
  }

  @Test(
    "a slot, also while another load refreshes it, is shown the first frame before the body is read",
    arguments: [LoadPurpose.slot, .storedImage])
  func slotIsShownTheFirstFrameBeforeTheBodyIsRead(purpose: LoadPurpose) throws {
    var registry = registry()
    var request = animated
    if purpose == .storedImage { request.cachePolicy = .cacheOnly }
    let (task, started) = registry.start(Caller(request, purpose: purpose))
    let fetch = try #require(started.lookups.first)
    #expect(registry.need(of: fetch, findsPixels: true).images.map(\.isForSlot) == [true])

    let actions = registry.lookedUp(fetch, DiskFind(copy: head()))

    #expect(actions.map(words) == ["show meanwhile", "look up a.jpg"] && shown(actions) == [[task]])
    #expect(!registry.need(of: fetch, findsPixels: true).isAwaited)
    let result = try decode(fetch, in: &registry)
    #expect(result.tasks == [task] && result.response.image === animation)
    #expect(result.response.source == .disk && !result.response.isFromPixelCache)
    #expect(result.response.hasStoredFirstFrame)
    #expect(registry.loads.tree.isEmpty)
  }

  @Test func slotIsShownASmallerVariantBeforeTheBodyIsRead() throws {
    var registry = registry()
    let (task, started) = registry.start(Caller(animated, purpose: .slot))
    let fetch = try #require(started.lookups.first)
    let key = ProcessedImageKey(animated, additionalIdentifier: nil)
    let found = copy(
      age: 0, .init(isBodyOnDisk: true, digest: Self.digest, smallerVariants: [key: firstFrame]))

    let actions = registry.lookedUp(fetch, DiskFind(copy: found))

    #expect(actions.map(words) == ["show meanwhile", "look up a.jpg"] && shown(actions) == [[task]])
    #expect(!registry.need(of: fetch, findsPixels: true).isAwaited)
    let result = try decode(fetch, in: &registry)
    #expect(result.tasks == [task] && result.response.image === animation)
    #expect(!result.response.isFromPixelCache && !result.response.hasStoredFirstFrame)
  }

  @Test func frameWaitsForTheBodyAndTheDecodeOfAnAwaitedSlot() throws {
    var registry = registry()
    let (slot, started) = registry.start(Caller(animated, purpose: .slot))
    let fetch = try #require(started.lookups.first)
    let (awaited, _) = registry.start(Caller(animated, purpose: .awaitedSlot))

    #expect(shown(registry.lookedUp(fetch, DiskFind(copy: head()))) == [[slot, awaited]])

    #expect(registry.need(of: fetch, findsPixels: true).isAwaited)
    let decode = try decodeID(registry.lookedUp(fetch, DiskFind(copy: whole())))
    #expect(registry.loads.tree.isAwaited(decode))
  }

  @Test func noFrameWaitsForTheDecodeOfAnotherSlot() throws {
    var registry = registry()
    let fetch = try #require(registry.start(Caller(animated, purpose: .slot)).actions.lookups.first)

    let decode = try decodeID(registry.lookedUp(fetch, DiskFind(copy: whole())))

    #expect(!registry.loads.tree.isAwaited(decode))
    #expect(!registry.loads.tree.isAwaited(DecodeID(number: 999)), "an unknown decode")
  }

  @Test func smallerVariantIsNeverAResult() throws {
    var registry = registry()
    let fetch = try #require(registry.start(Caller(onlyFirst, purpose: .slot)).actions.lookups.first)
    let key = ProcessedImageKey(onlyFirst, additionalIdentifier: nil)
    let found = copy(
      age: 0, .init(isBodyOnDisk: true, digest: Self.digest, smallerVariants: [key: firstFrame]))

    let actions = registry.lookedUp(fetch, DiskFind(copy: found))

    #expect(actions.lookups == [fetch] && actions.stores == [])
  }

  @Test func otherCallersAreNotShownTheFirstFrame() throws {
    var registry = registry()
    let (application, started) = registry.start(Caller(animated))
    let fetch = try #require(started.lookups.first)
    #expect(registry.need(of: fetch, findsPixels: true).images.map(\.isForSlot) == [false])
    let slot = registry.start(Caller(animated, purpose: .slot)).task

    #expect(shown(registry.lookedUp(fetch, DiskFind(copy: head()))) == [[slot]])

    #expect(try decode(fetch, in: &registry).tasks == [application, slot])
  }

  @Test(arguments: [LoadPurpose.slot, .storedImage])
  func slotThatJoinsWhileTheBodyIsReadIsShownTheFirstFrame(purpose: LoadPurpose) throws {
    var registry = registry()
    var request = animated
    if purpose == .storedImage { request.cachePolicy = .cacheOnly }
    let (first, started) = registry.start(Caller(request, purpose: purpose))
    let fetch = try #require(started.lookups.first)
    _ = registry.lookedUp(fetch, DiskFind(copy: head()))

    let (second, actions) = registry.start(Caller(request, purpose: purpose))

    #expect(shown(actions) == [[first, second]])
    #expect(shown(registry.start(Caller(request)).actions) == [])
  }

  @Test func requestForTheFirstFrameIsServedByPixelsAlone() throws {
    var registry = registry()
    let (task, started) = registry.start(Caller(onlyFirst))
    let fetch = try #require(started.lookups.first)
    #expect(registry.need(of: fetch, findsPixels: true).images.map(\.onlyFirstFrame) == [true])

    let actions = registry.lookedUp(fetch, DiskFind(copy: head()))

    #expect(actions.lookups == [] && actions.decodes == [])
    #expect(actions.stores == [.none], "memory must not have the first frame as the image")
    let result = try #require(delivered(registry.storeEnded(try processedImageID(actions))).first)
    #expect(result.tasks == [task] && result.response.image === firstFrame)
    #expect(result.response.isFromPixelCache && result.response.source == .disk)
    #expect(registry.loads.tree.isEmpty)
  }

  @Test func callerWhoWantsTheAnimationNeverReceivesTheFirstFrame() throws {
    var joined = registry()
    let (first, started) = joined.start(Caller(onlyFirst))
    let fetch = try #require(started.lookups.first)
    let second = joined.start(Caller(animated)).task
    #expect(joined.need(of: fetch, findsPixels: true).images.map(\.onlyFirstFrame) == [false])
    let actions = joined.lookedUp(fetch, DiskFind(copy: head()))
    #expect(actions.lookups == [fetch] && actions.stores == [])
    let result = try decode(fetch, in: &joined)
    #expect(result.tasks == [first, second] && result.response.image === animation)

    // The caller comes while the first frame is delivered.
    var late = registry()
    let early = try #require(late.start(Caller(onlyFirst)).actions.lookups.first)
    #expect(late.lookedUp(early, DiskFind(copy: head())).stores == [.none])
    let other = try #require(late.start(Caller(animated)).actions.lookups.first)
    #expect(other != early)
    _ = late.lookedUp(other, DiskFind(copy: whole()))
    #expect(late.loads.tree[other] != nil)
  }

  @Test func firstFrameOfABodyThatWasReadForOthersIsDecoded() throws {
    var registry = registry()
    let fetch = try #require(registry.start(Caller(onlyFirst)).actions.lookups.first)
    _ = registry.start(Caller(request(target: Self.small)))
    #expect(registry.lookedUp(fetch, DiskFind(copy: head())).lookups == [fetch])

    let read = registry.lookedUp(fetch, DiskFind(copy: whole()))

    #expect(read.decodes.count == 2 && read.stores == [], "a caller who wants the animation may join")
  }

  @Test func missingBodyIsFetchedWhileTheFirstFrameIsShown() throws {
    var registry = registry()
    let fetch = try #require(registry.start(Caller(animated, purpose: .slot)).actions.lookups.first)
    #expect(shown(registry.lookedUp(fetch, DiskFind(copy: head()))).count == 1)

    let actions = registry.lookedUp(fetch, DiskFind())

    #expect(actions.fetches == [fetch] && failures(actions) == [])
    #expect(registry.fetches.disk[fetch].copy == nil, "the request has no validators")
  }

  @Test func cacheOnlyCallerOfABodyThatIsMissingFails() throws {
    var registry = registry()
    let (slot, started) = registry.start(Caller(animated, purpose: .slot))
    let fetch = try #require(started.lookups.first)
    _ = registry.lookedUp(fetch, DiskFind(copy: head()))
    let (cacheOnly, joined) = registry.start(Caller(request(policy: .cacheOnly)))
    #expect(joined.lookups == [], "the caller waits for the same body")

    let actions = registry.lookedUp(fetch, DiskFind())

    #expect(actions.contains(.deliver([cacheOnly], .failure(.notCached))) && actions.fetches == [fetch])
    #expect(registry.loads.tree.tasks(of: fetch) == [slot])
  }

  @Test func missingBodyFailsOffline() throws {
    var registry = registry()
    _ = registry.setOffline(true)
    let fetch = try #require(registry.start(Caller(animated, purpose: .slot)).actions.lookups.first)
    #expect(shown(registry.lookedUp(fetch, DiskFind(copy: head()))).count == 1)

    #expect(failures(registry.lookedUp(fetch, DiskFind())) == [.offline])
  }

  @Test func firstFrameOfAStaleResponseIsShownAtOnce() throws {
    var registry = registry()
    let (task, started) = registry.start(Caller(animated, purpose: .slot))
    let fetch = try #require(started.lookups.first)
    let asked = registry.lookedUp(fetch, DiskFind(copy: head(age: 100)))
    #expect(asked.contains(.serveCopy(fetch)) && shown(asked) == [])

    let served = registry.serveCopy(of: fetch, atOnce: true)

    #expect(shown(served) == [[task]])
    let stored = try #require(served.lookups.first)
    let result = try decode(stored, age: 100, in: &registry)
    #expect(result.response.image === animation)
    #expect(result.response.freshness == .stale(age: 100, reason: nil))
  }

  @Test("a body that is not read in time is shown if the server fails", arguments: [false, true])
  func bodyThatIsNotReadInTimeIsShownIfTheServerFails(hasProbe: Bool) throws {
    var registry = registry()
    let (task, started) = registry.start(Caller(animated, purpose: .slot))
    let fetch = try #require(started.lookups.first)
    _ = registry.lookedUp(fetch, DiskFind(copy: head(age: 100)))
    if hasProbe { _ = registry.start(Caller(request(policy: .refresh), purpose: .probe)) }
    let stored = try #require(registry.serveCopy(of: fetch, atOnce: true).lookups.first)

    let late = registry.lookupSkipped(stored, nil)
    // Without a probe, no other fetch asks the server.
    let asking = hasProbe ? fetch : stored
    #expect(late.fetches == (hasProbe ? [] : [stored]) && !late.contains(.serveCopy(asking)))
    let failed = registry.fetchEnded(asking, .failure(.status(500)))
    #expect(failures(failed) == [] && failed.lookups == (hasProbe ? [fetch] : []))
    // The server is not asked again if this read is late as well.
    let lateAgain = hasProbe ? registry.lookupSkipped(fetch, nil) : []
    #expect(lateAgain.fetches == [] && failures(lateAgain) == [])
    let need = registry.need(of: asking, findsPixels: true)
    #expect(need.images.isEmpty, "the body itself is read")
    #expect(!need.isAwaited)
    let result = try decode(asking, age: 100, in: &registry)

    #expect(result.tasks.contains(task))
    #expect(result.response.freshness == .stale(age: 100, reason: .status(500)))
  }

  @Test func firstFrameIsNotShownBeforeTheServerHasConfirmedIt() throws {
    var registry = registry()
    let (_, started) = registry.start(Caller(request(policy: .refresh), purpose: .slot))
    let fetch = try #require(started.lookups.first)

    let actions = registry.lookedUp(fetch, DiskFind(copy: head()))

    #expect(actions.fetches == [fetch] && shown(actions) == [])
  }

  @Test func firstFramesCountAsMemoryAndKeepTheirNames() {
    let copy = head()
    #expect(copy.contents.byteCount == firstFrame.cost)
    #expect(copy.head.contents.firstFrames.isEmpty)
    let other = request("b.jpg")
    let key = ProcessedImageKey(other, additionalIdentifier: nil)
    #expect(copy.renamed(to: other.identity).contents.firstFrames == [key: firstFrame])
  }
}
