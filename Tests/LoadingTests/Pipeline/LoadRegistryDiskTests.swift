import FoundationEssentials
import Testing
import VitrineConcurrency
import VitrineGraphics

@testable import VitrineLoading

/// The actions of the load registry with a disk cache.
@Suite struct LoadRegistryDiskTests: RegistrySteps {
  @Test func cancellingTheLastTaskStopsTheDiskLookup() {
    var registry = LoadRegistry(disk: DiskPlan(isEnabled: true))
    let (first, started) = start(&registry, request())
    #expect(started.contains("look up a.jpg"))
    let (second, _) = start(&registry, request(target: Self.small))

    #expect(registry.cancel(first).map(words) == ["fail 1: cancelled"])
    #expect(registry.cancel(second).map(words) == ["fail 1: cancelled", "cancel look up"])
    #expect(registry.loads.tree.isEmpty)
  }

  @Test func fetchForADamagedCopyPausesWhenOnlyPausedTasksRemain() throws {
    var registry = LoadRegistry(disk: DiskPlan(isEnabled: true))
    let storedResponse = StoredResponse(
      response: TransportResponse(url: url(), status: 200, headers: ["Cache-Control": "max-age=60"]),
      body: [1], requested: 0, received: 0)
    let copy = StoredCopy(storedResponse, body: [1], at: 0, rules: FreshnessRules())
    let small = request(target: DecodeTarget(width: 8, height: 8))
    var actions = registry.start(Caller(request())).actions
    let (paused, more) = registry.start(Caller(small))
    actions += more + registry.setPaused(true, paused)
    let lookup = try #require(
      actions.compactMap { if case .lookUp(let id, _, _) = $0 { id } else { nil } }.first)
    actions = registry.lookedUp(lookup, DiskFind(copy: copy))
    let decodes = actions.compactMap {
      if case .decode(let id, _, let key, _) = $0 { (id, key) } else { nil }
    }
    let fullSizeDecode = try #require(decodes.first { $0.1.target == nil }).0
    let smallDecode = try #require(decodes.first { $0.1.target != nil }).0

    // One size decodes and is being stored in memory. The other size fails to decode, so the URL is fetched again.
    actions = registry.decodeEnded(fullSizeDecode, .success(.solid(width: 1, height: 1)))
    let processedImage = try processedImageID(actions)
    actions = registry.decodeEnded(smallDecode, .failure(.emptyBody))
    #expect(actions.map(words).contains("fetch a.jpg"))
    actions = registry.storeEnded(processedImage)
    #expect(actions.map(words) == ["store pixels", "deliver to 1", "pause fetch"])

    actions = registry.setPaused(false, paused)
    #expect(actions.map(words) == ["fetch a.jpg"])
  }

  /// Starts requests for the same URL and returns the kept bytes of each decode that has ended with `image`.
  private func kept(
    _ requests: [ImageRequest], _ image: Image = .solid(width: 1, height: 1)
  ) throws -> [FetchedBytes] {
    var registry = LoadRegistry(disk: DiskPlan(isEnabled: true))
    var actions = requests.flatMap { registry.start(Caller($0)).actions }
    actions += registry.lookedUp(try #require(actions.lookups.first), DiskFind())
    let fetch = try #require(actions.fetches.first)
    var bytes = bytes
    bytes.storedResponse = StoredResponse(
      response: TransportResponse(url: url(), status: 200, headers: [:]), body: bytes.body, requested: 0,
      received: 0)
    let decodes = registry.fetchEnded(fetch, .success(bytes)).compactMap {
      if case .decode(let id, _, _, _) = $0 { id } else { nil }
    }
    return decodes.flatMap { registry.decodeEnded($0, .success(image)) }.compactMap {
      if case .keep(let bytes, _) = $0 { bytes } else { nil }
    }
  }

  @Test func bodyIsSharedIfAnotherDecodeATransformACallerOrAnAnimationNeedsIt() throws {
    var keepsData = request()
    keepsData.keepsData = true
    var decodesNothing = request()
    decodesNothing.decodes = false
    var transformed = request()
    transformed.transforms = [.circle()]
    let frame = Image.Frame(bitmap: Image.solid(width: 1, height: 1).bitmap)
    #expect(try kept([transformed]).map(\.isBodyShared) == [true])
    #expect(try kept([request()]).map(\.isBodyShared) == [false])
    #expect(try kept([request(), request(target: Self.small)]).map(\.isBodyShared) == [true])
    #expect(try kept([request(), keepsData]).map(\.isBodyShared) == [true])
    #expect(try kept([decodesNothing]).map(\.isBodyShared) == [true])
    #expect(try kept([request()], Image(frames: [frame, frame])).map(\.isBodyShared) == [true])
  }

  @Test(arguments: [Prioritization.fifo, .lifo, .newestBatch])
  func downloadOrderIsIndependentOfTheOrderOfDiskLookups(order: Prioritization) throws {
    var registry = LoadRegistry(disk: DiskPlan(isEnabled: true))
    registry.queue.order = order
    registry.queue.maximumActive = 1
    var actions: [LoadAction] = []
    // One download occupies the network, so that all other downloads wait.
    actions += registry.start(Caller(request("running.jpg", policy: .reload))).actions
    for name in ["a.jpg", "b.jpg", "c.jpg"] {
      registry.now += 1_000_000_000
      actions += registry.start(Caller(request(name))).actions
    }
    var lookups: [FetchID] = []
    while let lookup = actions.compactMap({ if case .lookUp(let id, _, _) = $0 { id } else { nil } })
      .first(where: { !lookups.contains($0) })
    {
      lookups.append(lookup)
      // The later of two running lookups ends first.
      if lookups.count == 2 {
        actions += registry.lookedUp(lookups[1], DiskFind())
        actions += registry.lookedUp(lookups[0], DiskFind())
      } else if lookups.count > 2 {
        actions += registry.lookedUp(lookup, DiskFind())
      }
    }
    #expect(lookups.count == 3)
    for _ in 0..<3 {
      let running = try #require(
        actions.compactMap { if case .startFetch(let id, _) = $0 { id } else { nil } }.last)
      actions += registry.fetchEnded(running, FetchEnd(.failed(.status(404))))
    }
    let names = actions.compactMap { action -> String? in
      if case .startFetch(_, let request) = action { request.url.lastPathComponent } else { nil }
    }
    #expect(
      names.dropFirst() == (order == .fifo ? ["a.jpg", "b.jpg", "c.jpg"] : ["c.jpg", "b.jpg", "a.jpg"]))
  }
}
