import FoundationEssentials
import Synchronization
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Loads with a disk cache, as their callers see them.
@MainActor @Suite(.timeLimit(.minutes(1))) struct DiskLoadingTests {
  private static let other = FakeDecoder.encodedImage(width: 32, height: 32)

  // MARK: Storing

  @Test("YY-B3 an image from the network reports this source, and is in memory and on disk afterwards")
  func networkImageIsCachedInMemoryAndOnDisk() async throws {
    let world = DiskWorld()
    let task = world.downloader.load(request())
    try await world.transfer().respond(with: Fixture.body, DiskWorld.minute)
    let response = try await task.response
    #expect(response.source == .network)
    #expect(response.freshness == .fresh)
    #expect(await response.isStored())
    #expect(world.downloader.cachedImage(for: request()) === response.image)
    #expect(await world.downloader.containsCachedData(for: request()))
    #expect(world.disk.responses.first?.body == Fixture.body)
  }

  @Test("YY-B2 an image from disk reports this source, and is in memory afterwards")
  func diskImageIsServedAndCachedInMemory() async throws {
    let world = DiskWorld()
    world.store()
    let response = try await world.downloader.image(for: request())
    #expect(response.source == .disk)
    #expect(response.freshness == .fresh)
    #expect(response.metrics == nil)
    #expect(world.transport.transfers.isEmpty)
    #expect(world.downloader.cachedImage(for: request()) === response.image)
    #expect(world.downloader.statistics.loads == [.disk: 1])
    #expect(try await world.downloader.image(for: request()).source == .memory)
  }

  @Test("YY-B4 a request may ignore the disk and still fill the memory cache")
  func memoryOnlyRequestIgnoresTheDisk() async throws {
    let world = DiskWorld()
    world.store()
    var alone = request()
    alone.cache = .memoryOnly
    let task = world.downloader.load(alone)
    world.transport.transfers[0].respond(with: Self.other)
    #expect(try await task.response.image.pixelWidth == 32)
    await world.downloader.drain()
    #expect(world.disk.lookups.isEmpty)
    #expect(world.disk.storeCount == 1, "only the test has stored a response")
    #expect(world.downloader.cachedImage(for: alone)?.pixelWidth == 32)
  }

  @Test func diskOnlyRequestIgnoresTheMemoryCache() async throws {
    let world = DiskWorld()
    var alone = request()
    alone.cache = .diskOnly
    let task = world.downloader.load(alone)
    try await world.transfer().respond(with: Fixture.body)
    #expect(await (try task.response).isStored())
    #expect(world.downloader.cachedImage(for: request()) == nil)
    #expect(try await world.downloader.image(for: alone).source == .disk)
    #expect(world.downloader.cachedImage(for: request()) == nil)
  }

  @Test(
    "a response that is no image, not status 200, or must not be stored is not stored",
    arguments: [
      ([1, 2, 3], 200, [:]), (Fixture.body, 200, ["Cache-Control": "no-store"]),
      (Fixture.body, 200, ["Vary": "*"]), (Fixture.body, 203, [:]),
    ] as [([UInt8], Int, HTTPHeaders)])
  func unsuitableResponseIsNotStored(body: [UInt8], status: Int, headers: HTTPHeaders) async throws {
    let world = DiskWorld()
    let task = world.downloader.load(request())
    let transfer = try await world.transfer()
    transfer.respond(status: status, headers: headers)
    transfer.send(body)
    transfer.finish()
    let response = try? await task.response
    #expect(await response?.isStored() != true)
    await world.downloader.drain()
    #expect(world.disk.responses.isEmpty)
  }

  @Test func noStoreResponseRemovesTheStoredResponse() async throws {
    let world = DiskWorld()
    world.store(age: 100)
    let task = world.downloader.load(request())
    try await world.transfer().respond(with: Self.other, ["Cache-Control": "no-store"])
    #expect(try await task.response.image.pixelWidth == 32)
    await world.downloader.drain()
    #expect(world.disk.responses.isEmpty)
  }

  @Test func receivedBytesAreStoredAndModifiedAtEachLoad() async throws {
    let world = DiskWorld { $0.responses.bodyModifier = { body, _ in body.reversed() } }
    let task = world.downloader.load(request())
    try await world.transfer().respond(with: Fixture.body.reversed(), DiskWorld.minute)
    #expect(await (try task.response).isStored())
    #expect(world.disk.responses.first?.body == Fixture.body.reversed())
    world.downloader.removeAllCachedImages()
    #expect(try await world.downloader.image(for: request()).source == .disk)
  }

  // MARK: Revalidation

  @Test("SD-D38 SD-M28 an unchanged response is reported as revalidated, and once")
  func unchangedResponseIsReportedAsRevalidated() async throws {
    let world = DiskWorld()
    world.store(age: 100)
    let recorder = Recorder<Result<ImageResponse, ImageError>>()
    world.downloader.load(request(), completion: recorder.add)
    let transfer = try await world.transfer()
    #expect(transfer.request.headers["If-None-Match"] == "\"one\"")
    transfer.respondNotModified(DiskWorld.minute)
    let response = try await recorder.wait(for: 1)[0].get()
    #expect(response.freshness == .revalidated)
    #expect(response.source == .disk)
    #expect(response.metrics != nil)
    #expect(response.image.pixelWidth == 64)
    await world.downloader.drain()
    #expect(recorder.values.count == 1)

    // The response is fresh for another minute.
    world.downloader.removeAllCachedImages()
    #expect(try await world.downloader.image(for: request()).freshness == .fresh)
    #expect(world.transport.transfers.count == 1)
  }

  @Test("SD-M5 refreshing a URL twice delivers its image twice, without an error")
  func refreshingTwiceDeliversTheImageTwice() async throws {
    let world = DiskWorld()
    world.store()
    for count in 1...2 {
      let recorder = Recorder<Result<ImageResponse, ImageError>>()
      world.downloader.load(request(policy: .refresh), completion: recorder.add)
      try await world.transfer(count).respondNotModified(DiskWorld.minute)
      let response = try #require(try await recorder.wait(for: 1).first).get()
      #expect(response.image.pixelWidth == 64)
      #expect(response.freshness == .revalidated)
    }
  }

  @Test func changedResponseReplacesTheStoredResponse() async throws {
    let world = DiskWorld()
    world.store(age: 100)
    let task = world.downloader.load(request())
    try await world.transfer().respond(with: Self.other, ["ETag": "\"two\"", "Cache-Control": "max-age=60"])
    let response = try await task.response
    #expect(response.source == .network)
    #expect(await response.isStored())
    #expect(world.disk.responses.map(\.body) == [Self.other])
  }

  @Test func notModifiedWithAnotherETagCausesAFullRequest() async throws {
    let world = DiskWorld()
    world.store(age: 100)
    let task = world.downloader.load(request())
    try await world.transfer().respondNotModified(["ETag": "\"two\""])
    let unconditional = try await world.transfer(2)
    #expect(unconditional.request.headers["If-None-Match"] == nil)
    unconditional.respond(with: Self.other)
    #expect(try await task.response.image.pixelWidth == 32)
  }

  @Test func unrequestedNotModifiedIsAFailure() async throws {
    let world = DiskWorld()
    let task = world.downloader.load(request())
    try await world.transfer().refuse(304)
    await #expect(throws: ImageError.status(304)) { try await task.response }
  }

  @Test(arguments: [false, true]) func imageBehindALoginIsRevalidated(isSigned: Bool) async throws {
    let world = DiskWorld { configuration in
      guard isSigned else { return }
      configuration.requests.keyFilter = { url in
        URL(string: String(url.absoluteString.prefix { $0 != "?" })) ?? url
      }
    }
    func url(_ signature: String) -> String {
      "http://kiosk:secret@a.test/a.jpg" + (isSigned ? "?signature=\(signature)" : "")
    }
    let first = world.downloader.load(try ImageRequest(url("1")))
    try await world.transfer().respond(with: Fixture.body, DiskWorld.minute)
    #expect(await (try first.response).isStored())
    world.downloader.removeAllCachedImages()
    world.calendar.advance(by: 100)
    let again = world.downloader.load(try ImageRequest(url("2")))
    let transfer = try await world.transfer(2)
    #expect(transfer.request.headers["If-None-Match"] == "\"one\"")
    transfer.respondNotModified()
    #expect(try await again.response.freshness == .revalidated)
  }

  @Test func refreshRevalidatesAFreshResponse() async throws {
    let world = DiskWorld()
    world.store()
    let task = world.downloader.load(request(policy: .refresh))
    let transfer = try await world.transfer()
    #expect(transfer.request.headers["If-None-Match"] == "\"one\"")
    transfer.respondNotModified()
    #expect(try await task.response.freshness == .revalidated)
  }

  @Test func otherSizesStayInMemoryUntilTheImageChanges() async throws {
    let world = DiskWorld()
    let (small, large) = (DecodeTarget(width: 16, height: 12), DecodeTarget(width: 32, height: 24))
    world.store()
    let old = try await world.downloader.image(for: request(target: small)).image
    let same = world.downloader.load(request(policy: .refresh, target: large))
    try await world.transfer().respondNotModified()
    _ = try await same.response
    #expect(world.downloader.cachedImage(for: request(target: small)) === old)

    let failed = world.downloader.load(request(policy: .refresh, target: large))
    try await world.transfer(2).fail(.status(503))
    #expect(try await failed.response.source == .disk)
    #expect(world.downloader.cachedImage(for: request(target: small)) === old)

    let new = world.downloader.load(request(policy: .refresh, target: large))
    try await world.transfer(3).respond(with: Self.other, DiskWorld.minute)
    let image = try await new.response.image
    let smallOne = try await world.downloader.image(for: request(target: small))
    #expect(smallOne.image !== old)
    #expect(world.downloader.cachedImage(for: request(target: large)) === image)
  }

  @Test(arguments: [ImageRequest.CachePolicy.refresh, .reload])
  func allSizesOfOneDownloadStayInMemory(policy: ImageRequest.CachePolicy) async throws {
    let world = Fixture { $0.decoding.threads = 1 }
    let sizes = [32, 16, 8].map { DecodeTarget(width: $0, height: $0) }
    try await world.loaded(request(target: DecodeTarget(width: 64, height: 64)))
    let tasks = sizes.map { world.downloader.load(request(policy: policy, target: $0)) }
    world.transport.transfers[1].respond(with: Self.other)
    for (size, task) in zip(sizes, tasks) {
      let image = try await task.response.image
      await world.downloader.drain()
      #expect(world.downloader.cachedImage(for: request(target: size)) === image)
    }
    #expect(world.downloader.cachedImage(for: request())?.pixelWidth == 32, "no old image remains")
  }

  @Test(arguments: [ImageRequest.CachePolicy.refresh, .reload])
  func sizeOfADownloadJoinedByARefreshStaysInMemory(policy: ImageRequest.CachePolicy) async throws {
    let world = Fixture { $0.decoding.threads = 1 }
    let (first, second) = (DecodeTarget(width: 16, height: 16), DecodeTarget(width: 32, height: 32))
    try await world.loaded(request(target: DecodeTarget(width: 8, height: 8)))
    let joining = world.downloader.load(request(target: first))
    let refreshed = world.downloader.load(request(policy: policy, target: second))
    world.transport.transfers[1].respond(with: Self.other)
    let image = try await joining.response.image
    _ = try await refreshed.response
    #expect(world.downloader.cachedImage(for: request(target: first)) === image)
    let smallest = world.downloader.cachedImage(for: request(target: DecodeTarget(width: 8, height: 8)))
    #expect(smallest === image, "no old image remains")
  }

  @Test func reloadSkipsTheLookUpAndStoresTheResponse() async throws {
    let world = DiskWorld()
    world.store()
    let task = world.downloader.load(request(policy: .reload))
    #expect(world.transport.transfers[0].request.headers["If-None-Match"] == nil)
    world.transport.transfers[0].respond(with: Self.other, DiskWorld.minute)
    #expect(await (try task.response).isStored())
    #expect(world.disk.lookups.isEmpty)
    #expect(world.disk.responses.map(\.body) == [Self.other])
  }

  @Test func reloadIsNotServedByARunningLookUp() async throws {
    let gate = Gate()
    let world = DiskWorld(lookupsAreHeldBy: gate)
    world.store()
    let first = world.downloader.load(request())
    await gate.waitUntilHeld(1)
    let second = world.downloader.load(request(policy: .reload))
    gate.open()
    let transfer = try await world.transfer()
    #expect(transfer.request.headers["If-None-Match"] == nil)
    transfer.respond(with: Self.other)
    #expect(try await first.response.image === (try await second.response.image))
  }

  @Test func reloadIsNotServedFromDisk() async throws {
    let world = DiskWorld(decodingIsHeld: true)
    world.store()
    let first = world.downloader.load(request())
    await world.world.gate.waitUntilHeld(1)
    let second = world.downloader.load(request(policy: .reload))
    try await world.transfer().respond(with: Self.other)
    world.world.gate.open()
    #expect(try await first.response.image.pixelWidth == 64)
    #expect(try await second.response.image.pixelWidth == 32)
    await world.downloader.drain()
    #expect(!world.downloader.isRunning)
  }

  @Test func otherVariantOfAResponseIsNotServed() async throws {
    let world = DiskWorld()
    world.store(
      headers: ["Vary": "X-Mode", "Cache-Control": "max-age=60"],
      varying: [.init(name: "x-mode", value: "dark")])
    var bright = request()
    bright.headers["X-Mode"] = "bright"
    let task = world.downloader.load(bright)
    try await world.transfer().respond(with: Self.other)
    #expect(try await task.response.source == .network)

    var dark = request("b.jpg")
    dark.headers["X-Mode"] = "dark"
    world.store(
      "b.jpg", headers: ["Vary": "X-Mode", "Cache-Control": "max-age=60"],
      varying: [.init(name: "x-mode", value: "dark")])
    #expect(try await world.downloader.image(for: dark).source == .disk)
  }

  // MARK: Servers that fail

  @Test(
    "a stale image is shown when its server cannot be reached or fails",
    arguments: [
      .transport(.cannotConnect, message: "refused"), .timedOut(.connect(seconds: 10)), .status(503),
    ]
      as [ImageError])
  func staleImageIsShownWhenItsServerFails(error: ImageError) async throws {
    let world = DiskWorld { $0.retries = RetryPolicy() }
    world.store(age: 100)
    let task = world.downloader.load(request())
    try await world.transfer().fail(error)
    let response = try await task.response
    #expect(response.freshness == .stale(age: 100, reason: error))
    #expect(response.source == .disk)
    #expect(world.downloader.statistics.stale == 1)
    #expect(world.disk.responses.count == 1)
  }

  /// Returns a world with a stale image in memory, which was shown because its server failed.
  private func staleInMemory() async throws -> DiskWorld {
    let world = DiskWorld()
    world.store(age: 100)
    let task = world.downloader.load(request())
    try await world.transfer().fail(.status(503))
    #expect(try await task.response.source == .disk)
    #expect(world.downloader.cachedImage(for: request()) != nil)
    return world
  }

  @Test func staleImageStaysInMemoryForALimitedTime() async throws {
    let world = try await staleInMemory()
    world.world.clock.advance(by: 59)
    #expect(world.downloader.cachedImage(for: request()) != nil)
    world.world.clock.advance(by: 2)
    #expect(world.downloader.cachedImage(for: request()) == nil)
    let again = world.downloader.load(request())
    try await world.transfer(2).respondNotModified()
    #expect(try await again.response.freshness == .revalidated)
    world.world.clock.advance(by: 1000)
    #expect(world.downloader.cachedImage(for: request()) != nil, "the image has been revalidated")
  }

  @Test func staleImageLeavesMemoryAlthoughItsLoadWasCancelled() async throws {
    let (transport, clock, cache) = (FakeTransport(), ManualLoadingClock(), SlowCache())
    let world = DiskWorld()
    world.store(age: 100)
    var configuration = ImageDownloader.Configuration()
    configuration.environment.clock = clock
    configuration.retries = .none
    configuration.environment.wallClock = { [calendar = world.calendar] in calendar.now }
    let downloader = ImageDownloader(
      configuration: configuration, transports: [transport], decoder: FakeDecoder(), cache: cache,
      dataCache: world.disk)
    let task = downloader.load(request())
    cache.whenAsked { task.cancel() }
    try await transport.waitUntilStarted(1)
    transport.transfers[0].fail(.status(503))
    await downloader.drain()
    try await until { cache.memory.image(for: request(), additionalIdentifier: nil) != nil }
    clock.advance(by: 61)
    #expect(cache.memory.image(for: request(), additionalIdentifier: nil) == nil)
  }

  @Test func returnOfTheNetworkRemovesStaleImagesFromMemory() async throws {
    let world = try await staleInMemory()
    world.downloader.networkReturned()
    #expect(world.downloader.cachedImage(for: request()) == nil)
    world.world.clock.advance(by: 1000)
  }

  @Test func newerImageIsNotRemovedAsTheStaleImage() async throws {
    let world = try await staleInMemory()
    let again = world.downloader.load(request(policy: .reload))
    try await world.transfer(2).respond(with: Self.other)
    let image = try await again.response.image
    world.world.clock.advance(by: 100)
    #expect(world.downloader.cachedImage(for: request()) === image)
  }

  @Test func pageOfAPortalDoesNotReplaceTheStoredImage() async throws {
    let world = DiskWorld()
    world.store(age: 100)
    let task = world.downloader.load(request())
    try await world.transfer().respond(with: Array("<html>".utf8))
    let error = ImageError.notAnImage(signature: Array("<html>".utf8))
    #expect(try await task.response.freshness == .stale(age: 100, reason: error))
    await world.downloader.drain()
    #expect(world.disk.responses.map(\.body) == [Fixture.body])
  }

  @Test func status404RemovesTheStoredResponse() async throws {
    let world = DiskWorld()
    world.store(age: 100)
    let task = world.downloader.load(request())
    try await world.transfer().refuse(404)
    await #expect(throws: ImageError.status(404)) { try await task.response }
    await world.downloader.drain()
    #expect(world.disk.responses.isEmpty)
  }

  @Test(
    "an image that its server forbids or no longer has is not shown, at once or later",
    arguments: [401, 403, 404, 410, 451])
  func forbiddenOrMissingImageIsNotShown(status: Int) async throws {
    let world = DiskWorld()
    world.store(age: 100)
    let first = world.downloader.load(request())
    try await world.transfer().refuse(status)
    await #expect(throws: ImageError.status(status)) { try await first.response }
    await world.downloader.drain()
    #expect(world.disk.responses.isEmpty)

    let second = world.downloader.load(request())
    try await world.transfer(2).refuse(503)
    await #expect(throws: ImageError.status(503)) { try await second.response }
  }

  @Test(
    "a status that says nothing about the image keeps the stored response",
    arguments: [407, 408, 425, 429, 500, 502, 503, 504, 511])
  func statusUnrelatedToTheImageShowsTheStaleImage(status: Int) async throws {
    let world = DiskWorld()
    world.store(age: 100)
    let task = world.downloader.load(request())
    try await world.transfer().refuse(status)
    #expect(try await task.response.freshness == .stale(age: 100, reason: .status(status)))
    #expect(world.disk.responses.count == 1)
  }

  @Test(arguments: [400, 402, 405, 406, 409, 412, 414, 422, 431])
  func otherClientErrorsAreReportedAndKeepTheStoredResponse(status: Int) async throws {
    let world = DiskWorld()
    world.store(age: 100)
    let task = world.downloader.load(request())
    try await world.transfer().refuse(status)
    await #expect(throws: ImageError.status(status)) { try await task.response }
    await world.downloader.drain()
    #expect(world.disk.responses.count == 1)
  }

  @Test func notModifiedWithNoStoreIsShownAndRemovesTheResponse() async throws {
    let world = DiskWorld()
    world.store(age: 100)
    let task = world.downloader.load(request())
    try await world.transfer().respondNotModified(["Cache-Control": "no-store"])
    let response = try await task.response
    #expect(response.freshness == .revalidated)
    #expect(await response.isStored() == false)
    await world.downloader.drain()
    #expect(world.disk.responses.isEmpty)
  }

  @Test func notModifiedThatIsStaleAtOnceKeepsTheResponse() async throws {
    let world = DiskWorld()
    world.store(age: 100)
    let task = world.downloader.load(request())
    try await world.transfer().respondNotModified(["Cache-Control": "max-age=0"])
    #expect(try await task.response.freshness == .revalidated)
    await world.downloader.drain()
    #expect(world.disk.responses.count == 1)
  }

  @Test func mustRevalidateResponseIsNotShownWhenItsServerFails() async throws {
    let world = DiskWorld()
    world.store(age: 100, headers: ["Cache-Control": "max-age=60, must-revalidate"])
    let task = world.downloader.load(request())
    try await world.transfer().refuse(500)
    await #expect(throws: ImageError.status(500)) { try await task.response }
    #expect(world.disk.responses.count == 1)
  }

  @Test func cacheOnlyRequestIsServedAResponseOfAnyAge() async throws {
    let world = DiskWorld()
    world.store(age: 1e6)
    let response = try await world.downloader.image(for: request(policy: .cacheOnly))
    #expect(response.freshness == .stale(age: 1e6, reason: nil))
    #expect(world.transport.transfers.isEmpty)
  }

  @Test func cacheOnlyRequestFailsWithoutAStoredResponse() async {
    let world = DiskWorld()
    await #expect(throws: ImageError.notCached) {
      try await world.downloader.image(for: request(policy: .cacheOnly))
    }
    #expect(world.transport.transfers.isEmpty)
    #expect(!world.downloader.isRunning)
  }

  @Test func cacheOnlyRequestDoesNotJoinADownload() async throws {
    let world = DiskWorld()
    let other = world.downloader.load(request())
    let transfer = try await world.transfer()
    await #expect(throws: ImageError.notCached) {
      try await world.downloader.image(for: request(policy: .cacheOnly))
    }
    transfer.respond(with: Fixture.body)
    #expect(try await other.response.source == .network)
  }

  @Test func cacheOnlyRequestFailsWhileOthersContinueAfterAMiss() async throws {
    let gate = Gate()
    let world = DiskWorld(lookupsAreHeldBy: gate)
    let only = world.downloader.load(request(policy: .cacheOnly))
    let other = world.downloader.load(request())
    gate.open()
    await #expect(throws: ImageError.notCached) { try await only.response }
    try await world.transfer().respond(with: Fixture.body)
    #expect(try await other.response.source == .network)
  }

  @Test func staleWhileRevalidateImageIsShownAtOnceAndUpdatedForTheNextLoad() async throws {
    let world = DiskWorld()
    world.store(
      age: 100, headers: ["Cache-Control": "max-age=60, stale-while-revalidate=1000", "ETag": "\"one\""])
    let response = try await world.downloader.image(for: request())
    #expect(response.freshness == .stale(age: 100, reason: nil))
    let transfer = try await world.transfer()
    #expect(transfer.request.headers["If-None-Match"] == "\"one\"")
    transfer.respond(with: Self.other, DiskWorld.minute)
    await world.downloader.drain()
    #expect(world.disk.responses.map(\.body) == [Self.other])
    #expect(try await world.downloader.image(for: request()).image.pixelWidth == 32)
  }

  @Test func rememberedFailureShowsTheStaleImage() async throws {
    let world = DiskWorld { $0.failureMemory = FailureMemory(timeToLive: 1000) }
    world.store("a.jpg", age: 100)
    let portal = ImageError.redirectRefused(.downgrade)
    for isFirst in [true, false] {
      let task = world.downloader.load(request())
      if isFirst { try await world.transfer().fail(portal) }
      #expect(try await task.response.freshness == .stale(age: 100, reason: portal))
      world.downloader.removeAllCachedImages()
    }
    #expect(world.transport.transfers.count == 1)
  }

  // MARK: Damage

  @Test func damagedImageOnDiskIsDownloadedOnceAndReplaced() async throws {
    let world = DiskWorld()
    world.store(body: [9, 9, 9])
    let task = world.downloader.load(request())
    let transfer = try await world.transfer()
    #expect(transfer.request.headers["If-None-Match"] == nil, "the damaged response is not revalidated")
    transfer.respond(with: Self.other, DiskWorld.minute)
    let response = try await task.response
    #expect(response.source == .network)
    #expect(await response.isStored())
    #expect(world.disk.responses.map(\.body) == [Self.other])
  }

  @Test func damagedImageConfirmedByItsServerIsDownloaded() async throws {
    let world = DiskWorld()
    world.store(age: 100, body: [9, 9, 9])
    let task = world.downloader.load(request())
    try await world.transfer().respondNotModified()
    let unconditional = try await world.transfer(2)
    #expect(unconditional.request.headers["If-None-Match"] == nil)
    unconditional.respond(with: Self.other)
    #expect(try await task.response.image.pixelWidth == 32)
  }

  @Test func damagedImageConfirmedByItsServerWaitsBehindOtherDownloads() async throws {
    let world = DiskWorld { $0.queue.maximumActiveDownloads = 1 }
    world.store(age: 100, body: [9, 9, 9])
    world.downloader.load(request("a.jpg"))
    let revalidation = try await world.transfer()
    for name in ["b.jpg", "c.jpg"] { world.downloader.load(request(name, policy: .reload)) }
    #expect(world.downloader.waitingDownloadCount == 2)

    revalidation.respondNotModified()
    // b.jpg is downloaded now, and only c.jpg waits until the damaged image has been decoded.
    try await until { world.downloader.waitingDownloadCount == 2 }
    for number in 2...4 { try await world.transfer(number).respond(with: Fixture.body) }

    #expect(
      world.transport.transfers.map { $0.request.url.lastPathComponent }
        == ["a.jpg", "b.jpg", "c.jpg", "a.jpg"])
  }

  @Test func severalSizesOfADamagedImageShareOneDownload() async throws {
    let world = DiskWorld(decodingIsHeld: true)
    world.store(body: [9, 9, 9])
    let tasks = [16, 24, 48].map { size in
      world.downloader.load(request(target: DecodeTarget(width: size, height: size)))
    }
    await world.world.gate.waitUntilHeld(2)
    world.world.gate.open()
    try await world.transfer().respond(with: Fixture.body)
    for task in tasks { #expect(try await task.response.source == .network) }
    #expect(world.transport.transfers.count == 1)
  }

  @Test func damagedImageThatCannotBeDownloadedIsAFailure() async throws {
    let world = DiskWorld()
    world.store(body: [9, 9, 9])
    let task = world.downloader.load(request())
    try await world.transfer().fail(.status(500))
    await #expect(throws: ImageError.status(500)) { try await task.response }
  }

  // MARK: Concurrent loads

  @Test func concurrentLoadsShareOneLookUp() async throws {
    let gate = Gate()
    let world = DiskWorld(lookupsAreHeldBy: gate)
    world.store()
    let tasks = (0..<5).map { _ in world.downloader.load(request()) }
    await gate.waitUntilHeld(1)
    gate.open()
    for task in tasks { #expect(try await task.response.source == .disk) }
    #expect(world.disk.lookups.count == 1)
    #expect(world.world.decoder.calls.count == 1)
  }

  @Test func loadCancelledDuringItsLookUpStartsNoDownload() async throws {
    let gate = Gate()
    let world = DiskWorld(lookupsAreHeldBy: gate)
    let task = world.downloader.load(request())
    await gate.waitUntilHeld(1)
    task.cancel()
    await #expect(throws: ImageError.cancelled) { try await task.response }
    gate.open()
    await world.downloader.drain()
    #expect(world.transport.transfers.isEmpty)
  }

  @Test func pausedLoadIsServedFromDiskAndStartsNoDownload() async throws {
    let gate = Gate()
    let world = DiskWorld(lookupsAreHeldBy: gate)
    world.store()
    let (onDisk, nowhere) = (world.downloader.load(request()), world.downloader.load(request("b.jpg")))
    onDisk.pause()
    nowhere.pause()
    gate.open()
    #expect(try await onDisk.response.source == .disk)
    #expect(world.transport.transfers.isEmpty)
    nowhere.resume()
    try await world.transfer().respond(with: Fixture.body)
    #expect(try await nowhere.response.source == .network)
  }

  @Test func diskHitDoesNotWaitForTheNetwork() async throws {
    let world = DiskWorld { $0.queue.maximumActiveDownloads = 1 }
    world.store("b.jpg")
    let slow = world.downloader.load(request("a.jpg"))
    _ = try await world.transfer()
    #expect(try await world.downloader.image(for: request("b.jpg")).source == .disk)
    slow.cancel()
  }

  @Test func removedDataIsNotFound() async throws {
    let world = DiskWorld()
    world.store()
    world.store("b.jpg")
    let recorder = Recorder<Bool>()
    world.downloader.removeCachedData(for: request(), completion: recorder.add)
    world.downloader.removeCachedData(for: request(), completion: recorder.add)
    world.downloader.removeAllCachedData(completion: recorder.add)
    world.downloader.removeAllCachedData(completion: recorder.add)
    #expect(try await recorder.wait(for: 4) == [true, false, true, false])
    #expect(await !world.downloader.containsCachedData(for: request("b.jpg")))
  }

  @Test(arguments: [true, false])
  func responseBeingRemovedIsNotFoundByLaterLoads(all: Bool) async throws {
    let gate = Gate(isOpen: false)
    let world = DiskWorld(removalsAreHeldBy: gate)
    world.store()
    if all {
      world.downloader.removeAllCachedData(completion: nil)
    } else {
      world.downloader.removeCachedData(for: request(), completion: nil)
    }
    await gate.waitUntilHeld(1)
    let task = world.downloader.load(request())
    try await world.transfer().respond(with: Self.other, DiskWorld.minute)
    #expect(try await task.response.source == .network)
    gate.open()
    await world.downloader.drain()
    #expect(world.disk.responses.map(\.body) == [Self.other])
  }

  @Test func removalWithoutADiskCacheReportsFalse() async throws {
    let world = Fixture()
    let recorder = Recorder<Bool>()
    world.downloader.removeAllCachedData(completion: recorder.add)
    #expect(try await recorder.wait(for: 1) == [false])
  }
}

/// A memory cache that calls a function of the test before each image is inserted.
private final class SlowCache: ImageRequestCache {
  let memory = MemoryImageCache()
  private let beforeInsert = Mutex<@Sendable () -> Void>({})

  func whenAsked(_ body: @escaping @Sendable () -> Void) { beforeInsert.withLock { $0 = body } }

  func image(for request: ImageRequest, additionalIdentifier: String?) -> Image? {
    memory.image(for: request, additionalIdentifier: additionalIdentifier)
  }

  func insert(_ image: Image, for request: ImageRequest, additionalIdentifier: String?) {
    memory.insert(image, for: request, additionalIdentifier: additionalIdentifier)
  }

  func removeImage(for request: ImageRequest, additionalIdentifier: String?) -> Bool {
    memory.removeImage(for: request, additionalIdentifier: additionalIdentifier)
  }

  func removeAllImages() -> Bool { memory.removeAllImages() }

  func shouldCache(_ image: Image, for request: ImageRequest, additionalIdentifier: String?) -> Bool {
    beforeInsert.withLock { $0 }()
    return true
  }
}
