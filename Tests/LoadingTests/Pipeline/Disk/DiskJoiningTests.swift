import FoundationEssentials
import Synchronization
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Concurrent requests for one image with different cache policies, sizes and headers.
@Suite(.timeLimit(.minutes(1))) struct DiskJoiningTests {
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
    var registry = LoadRegistry(hasDisk: true)
    let lane = DownloadQueue.Lane(url())
    let fetch = try #require(registry.start(request(policy: .reload), lane: lane).actions.fetches.first)
    _ = registry.start(request(policy: .reload, target: Self.small), lane: lane)
    var bytes = FetchedBytes(body: Fixture.body, response: nil)
    bytes.storedResponse = world.disk.responses.first
    let decodes = registry.fetchEnded(fetch, .success(bytes)).decodes
    try #require(decodes.count == 2)
    var actions = registry.decodeEnded(decodes[0], .success(.solid(width: 1, height: 1)))
    actions += registry.start(request(policy: .reload, transforms: [.circle()]), lane: lane).actions
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
    // When the look-up ends, the first of the remaining requests does not use the disk.
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
    var registry = LoadRegistry(hasDisk: true)
    let lane = DownloadQueue.Lane(url())
    var actions: [LoadAction] = []
    func load(_ policy: ImageRequest.CachePolicy, _ target: DecodeTarget?) {
      actions += registry.start(request(policy: policy, target: target), lane: lane).actions
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
    #expect(registry.isEmpty)
  }

  // MARK: Status 304

  @Test func notModifiedFromAnotherURLCausesAFullRequest() async throws {
    let world = DiskWorld()
    world.store(
      age: 100,
      headers: ["Last-Modified": "Sat, 01 Jan 2022 00:00:00 GMT", "Cache-Control": "max-age=1"])
    let task = world.downloader.load(request())
    let revalidation = try await world.transfer()
    // The URL redirects to another image now, which is older than the stored image.
    revalidation.respond(status: 304, url: url("elsewhere.jpg"))
    revalidation.finish()
    let transfer = try await world.transfer(2)
    #expect(transfer.request.headers["If-Modified-Since"] == nil)
    transfer.respond(with: Self.other)
    #expect(try await task.response.image.pixelWidth == 32)
  }

  @Test func notModifiedFromTheSameURLIsTrusted() async throws {
    let world = DiskWorld()
    let task = world.downloader.load(request())
    let first = try await world.transfer()
    first.respond(headers: ["ETag": "\"1\"", "Cache-Control": "no-cache"], url: url("elsewhere.jpg"))
    first.send(Fixture.body)
    first.finish()
    _ = try await task.response
    await world.downloader.drain()
    world.downloader.removeAllCachedImages()
    let again = world.downloader.load(request())
    let revalidation = try await world.transfer(2)
    revalidation.respond(status: 304, url: url("elsewhere.jpg"))
    revalidation.finish()
    #expect(try await again.response.freshness == .revalidated)
  }

  @Test func responseIsRevalidatedWithANewSignature() async throws {
    let count = Mutex(0)
    let world = DiskWorld {
      $0.requests.modifier = { request in
        var request = request
        request.url = url("a.jpg?signature=\(count.withLock { $0 += 1; return $0 })")
        return request
      }
    }
    let first = world.downloader.load(request())
    try await world.transfer().respond(
      with: Fixture.body, ["Cache-Control": "no-cache", "ETag": "\"one\""])
    _ = try await first.response
    await world.downloader.drain()
    #expect(world.disk.responses.first?.response.url == url("a.jpg"), "no signature is stored")
    world.downloader.removeAllCachedImages()
    let again = world.downloader.load(request())
    try await world.transfer(2).respondNotModified()
    #expect(try await again.response.freshness == .revalidated)
  }

  @Test func responseIsRevalidatedForAnotherFragment() async throws {
    let world = DiskWorld()
    world.store("a.jpg#left", age: 100)
    let task = world.downloader.load(request("a.jpg#right"))
    try await world.transfer().respondNotModified()
    #expect(try await task.response.freshness == .revalidated)
  }

  @Test(arguments: ["a.jpg?signature=2", "http://b.test/a.jpg"])
  func responseIsRevalidatedForAnotherURLWithItsKey(name: String) async throws {
    let world = DiskWorld { $0.requests.keyFilter = { URL(string: "http://any.test\($0.path())") ?? $0 } }
    let first = world.downloader.load(request())
    try await world.transfer().respond(
      with: Fixture.body, ["Cache-Control": "no-cache", "ETag": "\"one\""])
    _ = try await first.response
    await world.downloader.drain()
    world.downloader.removeAllCachedImages()
    let again = world.downloader.load(
      name.hasPrefix("http") ? request("a.jpg", host: "b.test") : request(name))
    let revalidation = try await world.transfer(2)
    #expect(revalidation.request.headers["If-None-Match"] == "\"one\"")
    revalidation.respondNotModified()
    #expect(try await again.response.freshness == .revalidated)
  }

  @Test func validatorsOfARedirectTargetAreNotSentToTheRedirectingServer() async throws {
    let world = DiskWorld()
    for number in 1...2 {
      let task = world.downloader.load(request())
      let transfer = try await world.transfer(number)
      #expect(transfer.request.headers["If-None-Match"] == nil)
      transfer.respond(
        headers: ["Cache-Control": "no-cache", "ETag": "\"one\""], url: url("a.jpg", host: "b.test"))
      transfer.send(Fixture.body)
      transfer.finish()
      #expect(try await task.response.source == .network)
      await world.downloader.drain()
      world.downloader.removeAllCachedImages()
    }
  }

  @Test func varyingHeadersOfAModifierDoNotPreventAHit() async throws {
    let world = DiskWorld {
      $0.requests.modifier = { request in
        var request = request
        request.headers["X-Device"] = "panel"
        return request
      }
    }
    let task = world.downloader.load(request())
    try await world.transfer().respond(
      with: Fixture.body, ["Vary": "X-Device, User-Agent", "Cache-Control": "max-age=60"])
    _ = try await task.response
    await world.downloader.drain()
    world.downloader.removeAllCachedImages()
    #expect(try await world.downloader.image(for: request(policy: .cacheOnly)).source == .disk)
  }

  @Test("A late response to an older request replaces no newer response", arguments: [200, 404])
  func lateResponseReplacesNoNewerResponse(status: Int) async throws {
    let world = DiskWorld()
    world.store(age: 100)
    let first = world.downloader.load(request())
    let revalidation = try await world.transfer()
    let second = world.downloader.load(request(policy: .reload))
    try await world.transfer(2).respond(with: Self.other, DiskWorld.minute)
    let newer = try await second.response
    #expect(await newer.isStored())

    if status == 200 {
      revalidation.respond(with: Fixture.body, DiskWorld.minute)
      #expect(try await first.response.image.pixelWidth == 64)
    } else {
      revalidation.refuse(status)
      await #expect(throws: ImageError.status(status)) { try await first.response }
    }
    await world.downloader.drain()

    #expect(world.disk.responses.map(\.body) == [Self.other])
    #expect(world.downloader.cachedImage(for: request()) === newer.image)
  }

  @Test(arguments: [0, 100])
  func reloadedImageIsNotReplacedByALateStoredImage(age: Double) throws {
    let world = DiskWorld()
    world.store(age: age)
    var registry = LoadRegistry(hasDisk: true)
    let lane = DownloadQueue.Lane(url())
    let storedResponse = try #require(world.disk.responses.first)
    let old = StoredCopy(
      storedResponse, body: storedResponse.body, at: world.calendar.now, rules: FreshnessRules())
    var first = registry.start(request(), lane: lane).actions
    first += registry.lookedUp(try #require(first.lookups.first), DiskFind(copy: old))
    if let fetch = first.fetches.first {
      let bytes = old.bytes(revalidatedAs: storedResponse, TransportMetrics())
      first += registry.fetchEnded(fetch, .success(bytes))
    }
    var second = registry.start(request(policy: .reload), lane: lane).actions
    var bytes = FetchedBytes(body: Self.other, response: nil)
    bytes.storedResponse = storedResponse
    second += registry.fetchEnded(try #require(second.fetches.first), .success(bytes))
    let image = Image.solid(width: 1, height: 1)
    second += registry.decodeEnded(try #require(second.decodes.first), .success(image))
    first += registry.decodeEnded(try #require(first.decodes.first), .success(image))
    #expect(second.stores.map(\.usesMemory) == [true])
    #expect(first.stores.map(\.usesMemory) == [false])
    #expect(first.keeps == 0 && second.keeps == 1)
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

extension [LoadAction] {
  fileprivate var lookups: [FetchID] { compactMap { if case .lookUp(let id, _, _) = $0 { id } else { nil } } }
  fileprivate var fetches: [FetchID] {
    compactMap { if case .startFetch(let id, _) = $0 { id } else { nil } }
  }
  fileprivate var decodes: [DecodeID] {
    compactMap { if case .decode(let id, _, _, _) = $0 { id } else { nil } }
  }
  fileprivate var keeps: Int { count { if case .keep = $0 { true } else { false } } }
  fileprivate var stores: [ImageRequest.Cache] {
    compactMap { if case .store(_, _, let request, _) = $0 { request.cache } else { nil } }
  }
}

extension ImageRequest.Cache {
  fileprivate var usesMemory: Bool { if case .none = self { false } else { true } }
}
