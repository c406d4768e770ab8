import FoundationEssentials
import Synchronization
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Conditional requests for stored responses, and requests that skip them.
@MainActor @Suite(.timeLimit(.minutes(5))) struct DiskRevalidationTests {
  private static let other = FakeDecoder.encodedImage(width: 32, height: 32)

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

  @Test func reloadSkipsTheLookupAndStoresTheResponse() async throws {
    let world = DiskWorld()
    world.store()
    let task = world.downloader.load(request(policy: .reload))
    #expect(world.transport.transfers[0].request.headers["If-None-Match"] == nil)
    world.transport.transfers[0].respond(with: Self.other, DiskWorld.minute)
    #expect(await (try task.response).isStored())
    #expect(world.disk.lookups.isEmpty)
    #expect(world.disk.responses.map(\.body) == [Self.other])
  }

  @Test func reloadIsNotServedByARunningLookup() async throws {
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
}
