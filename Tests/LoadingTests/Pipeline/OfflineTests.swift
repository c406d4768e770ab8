import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// A downloader that is offline: no request is sent, stored images are shown, and other loads fail.
@MainActor @Suite(.timeLimit(.minutes(5))) struct OfflineTests {
  @Test func missingImageFailsWithoutARequest() async throws {
    let world = DiskWorld { $0.retries = RetryPolicy() }
    world.downloader.isOffline = true
    #expect(world.downloader.isOffline)

    for policy in [ImageRequest.CachePolicy.useCache, .refresh, .reload] {
      await #expect(throws: ImageError.offline) {
        try await world.downloader.image(for: request(policy: policy))
      }
    }
    #expect(world.transport.transfers.isEmpty)
    #expect(world.downloader.statistics.retries == 0)
    await world.downloader.drain()
  }

  @Test func downloaderWithoutADiskCacheFails() async throws {
    let world = Fixture()
    world.downloader.isOffline = true
    await #expect(throws: ImageError.offline) { try await world.downloader.image(for: request()) }
    world.downloader.isOffline = false
    let task = world.downloader.load(request())
    try await world.transport.transfer(1).respond(with: Fixture.body)
    #expect(try await task.response.source == .network)
  }

  @Test(arguments: [ImageRequest.CachePolicy.useCache, .refresh])
  func staleImageIsShownHoweverOld(policy: ImageRequest.CachePolicy) async throws {
    let world = DiskWorld()
    world.store(age: 1e8)
    world.downloader.isOffline = true
    for isForSlot in [false, true] {
      world.downloader.removeAllCachedImages()
      let response = try await world.downloader.load(request(policy: policy), isForSlot: isForSlot).response
      #expect(response.freshness == .stale(age: 1e8, reason: .offline))
      #expect(response.source == .disk)
    }
    await world.downloader.drain()
    #expect(world.transport.transfers.isEmpty)
  }

  @Test func freshAndMemoryImagesAreShownAsUsual() async throws {
    let world = DiskWorld()
    world.store()
    world.downloader.isOffline = true
    #expect(try await world.downloader.image(for: request()).freshness == .fresh)
    #expect(try await world.downloader.image(for: request()).source == .memory)
    #expect(world.transport.transfers.isEmpty)
  }

  @Test func staleWhileRevalidateImageIsNotRevalidated() async throws {
    let world = DiskWorld()
    world.store(age: 100, headers: ["Cache-Control": "max-age=60, stale-while-revalidate=1000"])
    world.downloader.isOffline = true
    let response = try await world.downloader.image(for: request())
    #expect(response.freshness == .stale(age: 100, reason: .offline))
    await world.downloader.drain()
    #expect(world.transport.transfers.isEmpty)
  }

  @Test(arguments: ["max-age=60, must-revalidate", "no-cache"])
  func revalidationIsObeyedUnlessARuleSaysOtherwise(control: String) async throws {
    for ignores in [false, true] {
      let world = DiskWorld { $0.freshness.ignoresRevalidationOnError = ignores }
      world.store(age: 100, headers: ["Cache-Control": control])
      world.downloader.isOffline = true
      let task = world.downloader.load(request())
      if ignores {
        #expect(try await task.response.source == .disk)
      } else {
        await #expect(throws: ImageError.offline) { try await task.response }
      }
    }
  }

  @Test func cacheOnlyRequestsAreUnaffected() async throws {
    let world = DiskWorld()
    world.downloader.isOffline = true
    await #expect(throws: ImageError.notCached) {
      try await world.downloader.image(for: request(policy: .cacheOnly))
    }
    world.store(age: 100, headers: ["Cache-Control": "no-cache"])
    let response = try await world.downloader.image(for: request(policy: .cacheOnly))
    #expect(response.freshness == .stale(age: 100, reason: nil))
  }

  @Test func dataURLsAreLoaded() async throws {
    let world = Fixture()
    world.downloader.isOffline = true
    #expect(try await world.downloader.image(for: "data:,5 5 0 0 0 255").source == .file)
  }

  // MARK: Turning the switch

  @Test func runningTransferIsStoppedAndItsLoadFails() async throws {
    let world = Fixture()
    let task = world.downloader.load(request())
    let transfer = try await world.transport.transfer(1)
    world.downloader.isOffline = true

    #expect(transfer.isCancelled)
    await #expect(throws: ImageError.offline) { try await task.response }
    #expect(world.downloader.activeDownloadCount == 0)
    await world.downloader.drain()
  }

  @Test func runningRevalidationEndsWithTheStoredImage() async throws {
    let world = DiskWorld()
    world.store(age: 100)
    let task = world.downloader.load(request())
    let transfer = try await world.transfer()
    world.downloader.isOffline = true
    #expect(try await task.response.freshness == .stale(age: 100, reason: .offline))
    #expect(transfer.isCancelled)
  }

  @Test func waitingDownloadsFail() async throws {
    let world = Fixture { $0.queue.maximumActiveDownloads = 1 }
    let tasks = ["a", "b", "c"].map { world.downloader.load(request($0)) }
    _ = try await world.transport.transfer(1)
    world.downloader.isOffline = true
    for task in tasks { await #expect(throws: ImageError.offline) { try await task.response } }
    #expect(world.downloader.waitingDownloadCount == 0)
    #expect(world.transport.transfers.count == 1)
  }

  @Test func downloadThatWaitsForARetryFails() async throws {
    let world = Fixture { $0.retries = RetryPolicy(limit: 1, delay: 10) }
    let task = world.downloader.load(request())
    try await world.transport.transfer(1).fail(.status(503))
    try await until { world.downloader.statistics.retries == 1 }
    world.downloader.isOffline = true
    await #expect(throws: ImageError.offline) { try await task.response }
    world.clock.advance(by: 100)
    #expect(world.transport.transfers.count == 1)
  }

  @Test func pausedLoadFailsWhenItIsResumed() async throws {
    let world = Fixture()
    let task = world.downloader.load(request())
    _ = try await world.transport.transfer(1)
    task.pause()
    world.downloader.isOffline = true
    #expect(!task.isFinished)
    task.resume()
    await #expect(throws: ImageError.offline) { try await task.response }
    #expect(world.transport.transfers.count == 1)
  }

  @Test func receivedBytesAreContinuedLater() async throws {
    let world = Fixture()
    let body = FakeDecoder.encodedImage(width: 64, height: 48, count: 10_000)
    let first = world.downloader.load(request())
    let transfer = try await world.transport.transfer(1)
    transfer.respond(headers: ["ETag": "\"one\""], expectedLength: body.count)
    transfer.send(Array(body.prefix(6000)))
    world.downloader.isOffline = true
    await #expect(throws: ImageError.offline) { try await first.response }

    world.downloader.isOffline = false
    let second = world.downloader.load(request())
    let rest = try await world.transport.transfer(2)
    #expect(rest.request.headers["Range"] == "bytes=6000-")
    second.cancel()
  }

  @Test func slowDiskIsWaitedFor() async throws {
    let gate = Gate()
    let world = DiskWorld(lookupsAreHeldBy: gate)
    world.store(age: 100)
    world.downloader.isOffline = true
    let task = world.downloader.load(request())
    await gate.waitUntilHeld(1)
    world.world.clock.advance(by: 1)
    #expect(!task.isFinished, "no server can be asked instead")
    gate.open()
    #expect(try await task.response.freshness == .stale(age: 100, reason: .offline))
    #expect(world.transport.transfers.isEmpty)
  }

  @Test func imageThatWasStaleOfflineIsRequestedAfterwards() async throws {
    let world = DiskWorld()
    world.store(age: 1e8)
    world.downloader.isOffline = true
    let stale = try await world.downloader.image(for: request())
    #expect(stale.freshness == .stale(age: 1e8, reason: .offline))
    #expect(world.downloader.cachedImage(for: request()) === stale.image)

    world.downloader.isOffline = false

    let task = world.downloader.load(request())
    try await world.transport.transfer(1).respond(with: Fixture.body)
    #expect(try await task.response.freshness == .fresh)
    #expect(try await world.downloader.image(for: request()).source == .memory)
    await world.downloader.drain()
  }

  @Test func observersLearnOfTheReturn() async throws {
    let world = Fixture()
    let recorder = Recorder<Int>()
    let observation = world.downloader.observeConnectivity { recorder.add(1) }
    world.downloader.isOffline = true
    world.downloader.networkReturned()
    world.downloader.isOffline = false
    #expect(try await recorder.wait(for: 1).count == 1)
    observation.cancel()
  }

  @Test func prefetchedImagesThatAreMissingWait() async throws {
    let world = DiskWorld()
    world.store("b.jpg")
    world.downloader.isOffline = true
    let recorder = Recorder<ImagePrefetch.Progress>()
    let prefetcher = ImagePrefetcher(downloader: world.downloader)
    prefetcher.prefetch(
      ["a.jpg", "b.jpg", "c.jpg"].map { request($0) }, progress: recorder.add, completion: recorder.add)
    #expect(try await recorder.wait(for: 1).last?.finished == 1)
    #expect(world.transport.transfers.isEmpty)

    world.transport.respondToAll { $0.respond(with: Fixture.body) }
    world.downloader.isOffline = false
    let progress = try #require(try await recorder.wait(for: 4).last)
    #expect(progress.finished == 3 && progress.skipped == 0)
    #expect(prefetcher.runningCount == 0)
  }
}
