import FoundationEssentials
import Synchronization
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Concurrent requests for one image with different cache policies, sizes and headers.
@Suite(.timeLimit(.minutes(5))) struct DiskJoiningTests {
  private static let other = FakeDecoder.encodedImage(width: 32, height: 32)
  private static let small = DecodeTarget(width: 8, height: 8)

  @Test(arguments: [ImageRequest.CachePolicy.useCache, .refresh, .reload])
  func cacheOnlyRequestIsServedFromDiskDespiteOtherPolicies(policy: ImageRequest.CachePolicy) async throws {
    let gate = Gate()
    let world = DiskWorld(lookupsAreHeldBy: gate)
    world.store(age: 100)
    let first = world.downloader.load(request())
    await gate.waitUntilHeld(1)
    let other = world.downloader.load(request(policy: policy))
    let only = world.downloader.load(request(policy: .cacheOnly))
    gate.open()
    #expect(try await only.response.freshness == .stale(age: 100, reason: nil))
    try await world.transfer().respond(with: Self.other)
    #expect(try await other.response.source == .network)
    #expect(try await first.response.source == .network)
    #expect(world.transport.transfers.count == 1)
  }

  @Test func cacheOnlyRequestIsServedFromDiskDuringRevalidation() async throws {
    let world = DiskWorld()
    world.store(age: 100)
    let other = world.downloader.load(request())
    let transfer = try await world.transfer()
    let only = try await world.downloader.image(for: request(policy: .cacheOnly))
    #expect(only.freshness == .stale(age: 100, reason: nil))
    transfer.respondNotModified()
    #expect(try await other.response.freshness == .revalidated)
  }

  @Test func staleImageOfACacheOnlyRequestIsNotServedToOthers() async throws {
    let world = DiskWorld(decodingIsHeld: true)
    world.store(age: 100)
    let only = world.downloader.load(request(policy: .cacheOnly))
    await world.world.gate.waitUntilHeld(1)
    let other = world.downloader.load(request())
    try await world.transfer().respond(with: Self.other)
    world.world.gate.open()
    #expect(try await only.response.freshness == .stale(age: 100, reason: nil))
    #expect(try await other.response.source == .network)
  }

  @Test func reloadDoesNotJoinARunningConditionalRequest() async throws {
    let world = DiskWorld()
    world.store(age: 100)
    let first = world.downloader.load(request())
    let revalidation = try await world.transfer()
    let second = world.downloader.load(request(policy: .reload))
    let transfer = try await world.transfer(2)
    #expect(transfer.request.headers["If-None-Match"] == nil)
    revalidation.respondNotModified()
    transfer.respond(with: Self.other)
    #expect(try await first.response.freshness == .revalidated)
    #expect(try await second.response.source == .network)
    await world.downloader.drain()
  }

  @Test func reloadIsJoinedAfterTheConditionalRequestIsCancelled() async throws {
    let world = DiskWorld()
    world.store(age: 100)
    let first = world.downloader.load(request())
    let revalidation = try await world.transfer()
    let reload = world.downloader.load(request(policy: .reload))
    let transfer = try await world.transfer(2)
    first.cancel()
    #expect(revalidation.isCancelled)

    let joining = world.downloader.load(request(policy: .reload))
    try #require(world.transport.transfers.count == 2)
    transfer.respond(with: Self.other)
    #expect(try await joining.response.image === reload.response.image)
  }

  @Test func reloadAtASecondSizeIsNotServedFromDisk() async throws {
    let world = DiskWorld(decodingIsHeld: true)
    world.store()
    let fullSize = world.downloader.load(request())
    let small = world.downloader.load(request(target: Self.small))
    await world.world.gate.waitUntilHeld(2)
    let fullSizeReload = world.downloader.load(request(policy: .reload))
    let smallReload = world.downloader.load(request(policy: .reload, target: Self.small))
    world.world.gate.open()
    try await world.transfer().respond(with: Self.other)
    #expect(try await fullSize.response.source == .disk)
    #expect(try await small.response.source == .disk)
    #expect(try await fullSizeReload.response.source == .network)
    #expect(try await smallReload.response.source == .network)
    #expect(world.transport.transfers.count == 1)
  }

  @Test func responseWithALateJoinerIsStoredOnce() async throws {
    let world = DiskWorld(decodingIsHeld: true)
    let first = world.downloader.load(request())
    try await world.transfer().respond(with: Fixture.body, DiskWorld.minute)
    await world.world.gate.waitUntilHeld(1)
    let second = world.downloader.load(request(target: Self.small))
    await world.world.gate.waitUntilHeld(2)
    world.world.gate.open()
    _ = try await (first.response, second.response)
    await world.downloader.drain()
    #expect(world.disk.storeCount == 1)

    // A load that joins after the response has been stored does not store the response again.
    var registry = LoadRegistry(disk: DiskPlan(isEnabled: true))
    let fetch = try #require(registry.start(Caller(request(policy: .reload))).actions.fetches.first)
    _ = registry.start(Caller(request(policy: .reload, target: Self.small)))
    var bytes = FetchedBytes(body: Fixture.body, response: nil)
    bytes.storedResponse = world.disk.responses.first
    let decodes = registry.fetchEnded(fetch, .success(bytes)).decodes
    try #require(decodes.count == 2)
    var actions = registry.decodeEnded(decodes[0], .success(.solid(width: 1, height: 1)))
    actions += registry.start(Caller(request(policy: .reload, transforms: [.circle()]))).actions
    actions += registry.decodeEnded(decodes[1], .success(.solid(width: 1, height: 1)))
    #expect(actions.keeps == 1)
  }

  @Test func lateJoinerStoresTheDownloadOfAMemoryOnlyRequest() async throws {
    let world = DiskWorld(decodingIsHeld: true)
    world.store(age: 100)
    var memoryOnly = request()
    memoryOnly.cache = .memoryOnly
    let first = world.downloader.load(memoryOnly)
    try await world.transfer().respond(with: Self.other, DiskWorld.minute)
    await world.world.gate.waitUntilHeld(1)
    let second = world.downloader.load(request(target: Self.small))
    world.world.gate.open()
    _ = try await (first.response, second.response)
    await world.downloader.drain()
    #expect(world.disk.responses.map(\.body) == [Self.other])
  }

  @Test func revalidationUpdatesTheImagesOfAllIdentifiers() async throws {
    let gate = Gate()
    let world = DiskWorld(lookupsAreHeldBy: gate)
    world.store(
      age: 100, headers: ["Cache-Control": "max-age=60, stale-while-revalidate=1000", "ETag": "\"one\""])
    let tasks = [nil, "x"].map { world.downloader.load(request(), additionalIdentifier: $0) }
    await gate.waitUntilHeld(1)
    gate.open()
    for task in tasks { #expect(try await task.response.freshness == .stale(age: 100, reason: nil)) }
    try await world.transfer().respond(with: Self.other, DiskWorld.minute)
    await world.downloader.drain()
    #expect(world.transport.transfers.count == 1)
    for identifier in [nil, "x"] {
      let image = world.downloader.cachedImage(for: request(), additionalIdentifier: identifier)
      #expect(image?.pixelWidth == 32)
    }
  }

  @Test func storedResponseIsRevalidatedDespiteAMemoryOnlyRequest() async throws {
    let gate = Gate()
    let world = DiskWorld(lookupsAreHeldBy: gate)
    world.store(
      age: 100, headers: ["Cache-Control": "max-age=60, stale-while-revalidate=1000", "ETag": "\"one\""])
    // When the lookup ends, the first of the remaining requests does not use the disk.
    let cancelled = world.downloader.load(request(), additionalIdentifier: "gone")
    await gate.waitUntilHeld(1)
    var memoryOnly = request()
    memoryOnly.cache = .memoryOnly
    let tasks = [memoryOnly, request()].map { world.downloader.load($0) }
    cancelled.cancel()
    gate.open()
    for task in tasks { #expect(try await task.response.freshness == .stale(age: 100, reason: nil)) }

    let transfer = try await world.transfer()
    #expect(transfer.request.headers["If-None-Match"] == "\"one\"")
  }

  @Test func eachTaskCompletesOnceWhenAllAreCancelledWithAPendingDamagedImage() throws {
    let world = DiskWorld()
    world.store()
    let storedResponse = try #require(world.disk.responses.first)
    var registry = LoadRegistry(disk: DiskPlan(isEnabled: true))
    var actions: [LoadAction] = []
    func load(_ policy: ImageRequest.CachePolicy, _ target: DecodeTarget?) {
      actions += registry.start(Caller(request(policy: policy, target: target))).actions
    }
    load(.useCache, nil)
    load(.useCache, Self.small)
    let copy = StoredCopy(
      storedResponse, body: storedResponse.body, at: world.calendar.now, rules: FreshnessRules())
    actions += registry.lookedUp(try #require(actions.lookups.first), DiskFind(copy: copy))
    load(.cacheOnly, Self.small)
    load(.cacheOnly, nil)
    try #require(actions.decodes.count == 2 && actions.lookups.count == 1)
    // The full-size image is damaged; decoding of the small image ends last.
    let fullSize = try #require(
      actions.first { if case .decode(_, _, let key, _) = $0 { key.target == nil } else { false } })
    actions += registry.decodeEnded(
      try #require([fullSize].decodes.first), .failure(.decoding(.jpeg, message: "")))
    actions += registry.cancelAll()
    let received = actions.flatMap { if case .deliver(let tasks, _) = $0 { tasks } else { [TaskID]() } }
    #expect(received.count == 4 && Set(received).count == 4)
    #expect(registry.loads.tree.isEmpty)
  }

  // MARK: Headers named in Vary

  @Test func reloadIsJoinedAfterTheHeadOfTheConditionalRequest() async throws {
    let world = DiskWorld()
    let headers: HTTPHeaders = ["Vary": "X-Device", "Cache-Control": "max-age=60", "ETag": "\"one\""]
    world.store(age: 100, headers: headers, varying: [.init(name: "x-device", value: "1")])
    func load(_ policy: ImageRequest.CachePolicy) -> ImageTask {
      var request = request(policy: policy)
      request.headers["X-Device"] = "1"
      return world.downloader.load(request)
    }
    let first = load(.useCache)
    let revalidation = try await world.transfer()
    #expect(revalidation.request.headers["If-None-Match"] == "\"one\"")
    let reload = load(.reload)
    let transfer = try await world.transfer(2)

    revalidation.respond(status: 304, headers: headers)
    let joining = load(.reload)
    try #require(world.transport.transfers.count == 2)

    revalidation.finish()
    transfer.respond(with: Self.other, headers)
    #expect(try await first.response.freshness == .revalidated)
    #expect(try await joining.response.image === reload.response.image)
  }

  @Test(arguments: ["1", "2"])
  func storedVariantIsServedOnlyToMatchingRequests(first: String) async throws {
    let gate = Gate()
    let world = DiskWorld(lookupsAreHeldBy: gate)
    world.store(
      headers: ["Vary": "X-Device", "Cache-Control": "max-age=60"],
      varying: [.init(name: "x-device", value: "1")])
    let devices = [first, first == "1" ? "2" : "1"]
    let tasks = devices.map { device in
      var imageRequest = request()
      imageRequest.headers["X-Device"] = device
      return world.downloader.load(imageRequest)
    }
    await gate.waitUntilHeld(1)
    gate.open()
    let transfer = try await world.transfer()
    #expect(transfer.request.headers["X-Device"] == "2")
    let (onDisk, other) = first == "1" ? (tasks[0], tasks[1]) : (tasks[1], tasks[0])
    // Awaited before the other variant replaces this variant on disk.
    #expect(try await onDisk.response.source == .disk)
    transfer.respond(with: Self.other, ["Vary": "X-Device", "Cache-Control": "max-age=60"])
    #expect(try await other.response.source == .network)
    #expect(world.transport.transfers.count == 1)
  }
}
