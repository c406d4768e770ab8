import FoundationEssentials
import Synchronization
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Responses with status 304 from other URLs, and responses that arrive too late.
@Suite(.timeLimit(.minutes(5))) struct DiskNotModifiedTests {
  private static let other = FakeDecoder.encodedImage(width: 32, height: 32)

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
    var registry = LoadRegistry(disk: DiskPlan(isEnabled: true))
    let storedResponse = try #require(world.disk.responses.first)
    let old = StoredCopy(
      storedResponse, body: storedResponse.body, at: world.calendar.now, rules: FreshnessRules())
    var first = registry.start(Caller(request())).actions
    first += registry.lookedUp(try #require(first.lookups.first), DiskFind(copy: old))
    if let fetch = first.fetches.first {
      let bytes = old.bytes(revalidatedAs: storedResponse, TransportMetrics())
      first += registry.fetchEnded(fetch, .success(bytes))
    }
    var second = registry.start(Caller(request(policy: .reload))).actions
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
}

extension ImageRequest.Cache {
  fileprivate var usesMemory: Bool { if case .none = self { false } else { true } }
}
