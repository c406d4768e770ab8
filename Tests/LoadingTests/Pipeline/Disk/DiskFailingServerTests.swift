import FoundationEssentials
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Stored responses whose server fails or has no image.
@MainActor @Suite(.timeLimit(.minutes(5))) struct DiskFailingServerTests {
  private static let other = FakeDecoder.encodedImage(width: 32, height: 32)

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
    world.world.clock.advance(by: 59)
    #expect(world.downloader.cachedImage(for: request()) != nil, "the image has been revalidated")
  }

  @Test func staleImageLeavesMemoryAlthoughItsLoadWasCancelled() async throws {
    let cache = ObservedCache()
    let world = DiskWorld(cache: cache)
    world.store(age: 100)
    let task = world.downloader.load(request())
    cache.observe { if case .asked = $0 { task.cancel() } }
    try await world.transfer().fail(.status(503))
    await world.downloader.drain()
    try await until { cache.memory.image(for: request(), additionalIdentifier: nil) != nil }
    world.world.clock.advance(by: 61)
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
    "an image that its server no longer has is not shown, at once or later", arguments: [404, 410, 451])
  func missingImageIsNotShown(status: Int) async throws {
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

  @Test(arguments: [401, 403]) func imageDeniedToThisClientIsShownWhenTheServerFailsLater(status: Int)
    async throws
  {
    let world = DiskWorld()
    world.store(age: 100)
    let first = world.downloader.load(request())
    try await world.transfer().refuse(status)
    await #expect(throws: ImageError.status(status)) { try await first.response }
    await world.downloader.drain()
    #expect(world.disk.responses.count == 1)

    let second = world.downloader.load(request())
    try await world.transfer(2).refuse(503)
    #expect(try await second.response.freshness == .stale(age: 100, reason: .status(503)))
  }

  @Test(arguments: [400, 401, 402, 403, 405, 406, 409, 412, 414, 422, 431])
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

  @Test(
    arguments: [
      ["Cache-Control": "no-cache"], ["Cache-Control": "max-age=0, must-revalidate"],
      ["Cache-Control": "max-age=0", "ETag": "W/\"2\""],
    ] as [HTTPHeaders])
  func rulesOfANotModifiedResponseAreStored(headers: HTTPHeaders) async throws {
    let world = DiskWorld()
    world.store(age: 100)
    let task = world.downloader.load(request())
    try await world.transfer().respondNotModified(headers)
    let response = try await task.response
    #expect(await response.isStored())
    await world.downloader.drain()
    let stored = try #require(world.disk.responses.first)
    for field in headers.fields { #expect(stored.response.headers[field.name] == field.value) }
  }

  @Test(arguments: [(100.0, false), (3599, false), (3601, true)])
  func timeOfConfirmationIsStoredOnceAnHour(age: Double, isWritten: Bool) async throws {
    let world = DiskWorld()
    world.store(age: age, headers: ["Cache-Control": "max-age=0", "ETag": "\"one\""])
    let before = try #require(world.disk.responses.first).received
    let task = world.downloader.load(request())
    try await world.transfer().respondNotModified(["Cache-Control": "max-age=0"])
    _ = try await task.response
    await world.downloader.drain()
    #expect((try #require(world.disk.responses.first).received > before) == isWritten)
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
}
