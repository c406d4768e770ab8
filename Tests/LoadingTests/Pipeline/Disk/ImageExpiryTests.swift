import FoundationEssentials
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Images in memory whose responses pass their lifetime while the program runs.
@MainActor @Suite(.timeLimit(.minutes(5))) struct ImageExpiryTests {
  private static let fiveMinutes: HTTPHeaders = ["Cache-Control": "max-age=300", "ETag": "\"one\""]

  private func advance(_ world: DiskWorld, by seconds: Double) {
    world.calendar.advance(by: seconds)
    world.world.clock.advance(by: seconds)
  }

  /// Loads an image from the network.
  private func loaded(in world: DiskWorld, _ headers: HTTPHeaders = fiveMinutes) async throws {
    let task = world.downloader.load(request())
    try await world.transfer().respond(with: Fixture.body, headers)
    #expect(try await task.response.source == .network)
    await world.downloader.drain()
  }

  /// True if a load is served from memory.
  private func isInMemory(_ world: DiskWorld, _ request: ImageRequest = request()) -> Bool {
    world.downloader.cachedImage(for: request).map {
      !world.downloader.freshnessInMemory(of: $0, for: request).isExpired
    } ?? false
  }

  /// Checks that the image serves loads until `seconds` have passed, and advances the clocks to a second later.
  private func expectExpiry(
    in world: DiskWorld, after seconds: Double, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    advance(world, by: seconds - 1)
    #expect(isInMemory(world), sourceLocation: sourceLocation)
    advance(world, by: 2)
    #expect(!isInMemory(world), sourceLocation: sourceLocation)
  }

  @Test func serverIsAskedAfterTheLifetimeOfAnImageInMemory() async throws {
    let world = DiskWorld()
    try await loaded(in: world)
    advance(world, by: 299)
    #expect(try await world.downloader.load(request()).response.source == .memory)

    advance(world, by: 2)
    #expect(!isInMemory(world))
    let shown = try await world.downloader.load(request(), isForSlot: true).response
    #expect(shown.source == .disk && shown.freshness == .stale(age: 301, reason: nil))
    let transfer = try await world.transfer(2)
    #expect(transfer.request.headers["If-None-Match"] == "\"one\"")
    transfer.respondNotModified(Self.fiveMinutes)
    await world.downloader.drain()

    advance(world, by: 299)
    #expect(isInMemory(world) && world.transport.transfers.count == 2)
    advance(world, by: 2)
    #expect(!isInMemory(world), "the lifetime of the confirmed image has ended, too")
  }

  @Test func imageOfAnotherResponseHasALifetimeOfItsOwn() async throws {
    let world = DiskWorld()
    try await loaded(in: world)
    advance(world, by: 301)
    _ = try await world.downloader.load(request(), isForSlot: true).response
    try await world.transfer(2).respond(with: Fixture.body, Self.fiveMinutes)
    await world.downloader.drain()

    expectExpiry(in: world, after: 300)
  }

  @Test(
    "an image stays in memory for a minute even if its response has no lifetime",
    arguments: ["max-age=0", "no-cache"])
  func imageWithoutALifetimeStaysForAMinute(control: String) async throws {
    let world = DiskWorld()
    try await loaded(in: world, ["Cache-Control": control, "ETag": "\"one\""])
    expectExpiry(in: world, after: 60)
  }

  @Test func ageOnDiskCounts() async throws {
    let world = DiskWorld()
    world.store(age: 200, headers: Self.fiveMinutes)
    #expect(try await world.downloader.load(request()).response.source == .disk)
    expectExpiry(in: world, after: 100)
  }

  @Test("an image in memory that is past its lifetime is served without its server, offline as stale")
  func expiredImageIsServedWithoutItsServer() async throws {
    let world = DiskWorld()
    try await loaded(in: world)
    advance(world, by: 10_000)
    let online = try await world.downloader.load(request(policy: .cacheOnly)).response
    #expect(online.source == .memory && online.freshness == .stale(age: 10_000, reason: nil))

    world.downloader.isOffline = true
    let shown = try await world.downloader.load(request()).response
    #expect(shown.source == .memory && shown.freshness == .stale(age: 10_000, reason: .offline))
    let cacheOnly = try await world.downloader.load(request(policy: .cacheOnly)).response
    #expect(cacheOnly.freshness == .stale(age: 10_000, reason: nil))
    var memoryOnly = request()
    memoryOnly.cache = .memoryOnly
    #expect(try await world.downloader.load(memoryOnly).response.freshness == .fresh)

    world.downloader.isOffline = false
    #expect(!isInMemory(world))
  }

  @Test func ageOfAnImageInMemoryIncludesThatOnArrival() async throws {
    let world = DiskWorld()
    try await loaded(in: world, ["Cache-Control": "max-age=300", "Age": "100", "ETag": "\"one\""])
    expectExpiry(in: world, after: 200)
    world.downloader.isOffline = true

    #expect(
      try await world.downloader.load(request()).response.freshness == .stale(age: 301, reason: .offline))
  }

  @Test(
    "an image in memory that needs its server is not served offline after its lifetime",
    arguments: ["no-cache", "must-revalidate, max-age=1"])
  func imageThatNeedsItsServerIsNotServedOffline(control: String) async throws {
    let world = DiskWorld()
    try await loaded(in: world, ["Cache-Control": control, "ETag": "\"one\""])
    world.downloader.isOffline = true
    #expect(try await world.downloader.load(request()).response.source == .memory)

    advance(world, by: 61)
    await #expect(throws: ImageError.offline) { try await world.downloader.load(request()).response }
    #expect(try await world.downloader.load(request(policy: .cacheOnly)).response.source == .memory)
  }

  @Test("an image that is not on disk stays in memory, because there is nothing else to show")
  func imageThatIsNotOnDiskStays() async throws {
    let world = DiskWorld()
    var memoryOnly = request()
    memoryOnly.cache = .memoryOnly
    let task = world.downloader.load(memoryOnly)
    try await world.transfer().respond(with: Fixture.body, Self.fiveMinutes)
    _ = try await task.response
    advance(world, by: 10_000)
    #expect(isInMemory(world, memoryOnly))

    let withoutDisk = Fixture()
    try await withoutDisk.loaded(request())
    withoutDisk.clock.advance(by: 10_000)
    #expect(try await withoutDisk.downloader.load(request()).response.source == .memory)
  }

  @Test func imageThatMustNotBeStoredStaysInMemory() async throws {
    let world = DiskWorld()
    try await loaded(in: world, ["Cache-Control": "no-store, max-age=0"])
    advance(world, by: 10_000)
    #expect(isInMemory(world))
  }

  @Test(
    "an image that must neither be stored nor shown without its server is requested after a minute",
    arguments: ["no-store, no-cache", "no-store, must-revalidate, max-age=10"], [false, true])
  func imageThatMustNotBeStoredIsRequestedAgain(control: String, isConfirmed: Bool) async throws {
    let world = DiskWorld()
    try await loaded(in: world, isConfirmed ? Self.fiveMinutes : ["Cache-Control": control])
    if isConfirmed {
      advance(world, by: 301)
      let task = world.downloader.load(request(), isForSlot: true)
      try await world.transfer(2).respondNotModified(["Cache-Control": control])
      _ = try await task.response
      await world.downloader.drain()
    }
    expectExpiry(in: world, after: 60)
    let task = world.downloader.load(request())
    try await world.transfer(isConfirmed ? 3 : 2).respond(with: Fixture.body, ["Cache-Control": control])
    #expect(try await task.response.source == .network)
    await world.downloader.drain()
  }

  @Test("an image that its server confirms and forbids to store stays in memory")
  func imageThatMustNotBeStoredAnyMoreStaysInMemory() async throws {
    let world = DiskWorld()
    try await loaded(in: world)
    advance(world, by: 301)
    #expect(!isInMemory(world))
    let task = world.downloader.load(request(), isForSlot: true)
    try await world.transfer(2).respondNotModified(["Cache-Control": "no-store"])
    _ = try await task.response
    await world.downloader.drain()

    advance(world, by: 10_000)
    #expect(isInMemory(world) && world.transport.transfers.count == 2)
  }

  @Test func imageThatTheApplicationStoresStaysInMemory() async throws {
    let world = DiskWorld()
    try await loaded(in: world)
    let image = try await world.downloader.load(request()).response.image
    let cache = world.downloader.imageCache
    cache.keepInMemory(image, request(), "tag")
    advance(world, by: 10_000)
    #expect(!isInMemory(world))
    #expect(
      try await world.downloader.load(request(), additionalIdentifier: "tag").response.source == .memory)
  }

  @Test func imageOfAQueryHasALifetime() async throws {
    let world = DiskWorld()
    world.store(age: 200, headers: Self.fiveMinutes)
    let cache = world.downloader.imageCache
    #expect(await cache.query(request())?.source == .disk)
    expectExpiry(in: world, after: 100)
    #expect(await cache.query(request())?.freshness == .stale(age: 301, reason: nil))
  }

  @Test func traceStatesThatTheLifetimeHasEnded() async throws {
    let trace = Trace()
    let world = DiskWorld { $0.environment.trace = trace }
    try await loaded(in: world)
    trace.removeAll()
    advance(world, by: 301)
    _ = try await world.downloader.load(request(), isForSlot: true).response
    try await world.transfer(2).respondNotModified()
    await world.downloader.drain()
    let reasons = trace.events.compactMap { event in
      if case .requested(let request) = event.kind { request.memory } else { nil }
    }
    #expect(reasons.first == .expired)
  }
}
