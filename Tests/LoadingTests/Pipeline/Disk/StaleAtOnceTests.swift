import Synchronization
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Loads of slots, which show a stale stored response at once while its server is asked. Nothing here advances the clock
/// of the downloader unless a test says so.
@MainActor @Suite(.timeLimit(.minutes(5))) struct StaleAtOnceTests {
  private static let newer = FakeDecoder.encodedImage(width: 32, height: 32)
  private static let down = ImageError.transport(.cannotConnect, message: "refused")

  private func load(_ world: DiskWorld, _ name: String = "a.jpg", target: DecodeTarget? = nil) -> ImageTask {
    world.downloader.load(request(name, target: target), isForSlot: true)
  }

  @Test func staleImageIsDeliveredAtOnceAndTheServerIsAsked() async throws {
    let world = DiskWorld()
    world.store(age: 3600)
    let response = try await load(world).response

    #expect(response.freshness == .stale(age: 3600, reason: nil))
    #expect(response.source == .disk)
    #expect(response.image.pixelWidth == 64)
    let transfer = try await world.transfer()
    #expect(transfer.request.headers["If-None-Match"] == "\"one\"")
    transfer.respond(with: Self.newer, DiskWorld.minute)
    await world.downloader.drain()
    #expect(world.downloader.cachedImage(for: request())?.pixelWidth == 32)
    #expect(world.disk.responses.map(\.body) == [Self.newer])
    #expect(world.transport.transfers.count == 1)
  }

  @Test func onlyLoadsOfSlotsAreServedAtOnce() async throws {
    let world = DiskWorld()
    world.store(age: 3600)
    let other = world.downloader.load(request())
    let shown = try await load(world).response
    #expect(shown.freshness == .stale(age: 3600, reason: nil))
    _ = try await world.transfer()
    #expect(!other.isFinished)

    world.world.clock.advance(by: 1)
    #expect(try await other.response.freshness.age == StoredAge(seconds: 3600))
    #expect(world.transport.transfers.count == 1)
    world.downloader.cancelAll()
  }

  @Test func ruleMakesSlotsWait() async throws {
    let world = DiskWorld { $0.freshness.showsStaleAtOnce = false }
    world.store(age: 3600)
    let task = load(world)
    _ = try await world.transfer()
    #expect(!task.isFinished)
    world.world.clock.advance(by: 1)
    #expect(try await task.response.freshness == .stale(age: 3600, reason: nil))
    world.downloader.cancelAll()
  }

  @Test(arguments: ["max-age=60, must-revalidate", "no-cache"])
  func revalidationIsObeyed(control: String) async throws {
    let world = DiskWorld()
    world.store(age: 3600, headers: ["Cache-Control": control, "ETag": "\"one\""])
    let task = load(world)
    let transfer = try await world.transfer()
    world.world.clock.advance(by: 10)
    #expect(!task.isFinished)
    transfer.respondNotModified()
    #expect(try await task.response.freshness == .revalidated)
  }

  @Test func revalidationIsIgnoredIfARuleSaysSo() async throws {
    let world = DiskWorld { $0.freshness.ignoresRevalidationOnError = true }
    world.store(age: 3600, headers: ["Cache-Control": "no-cache", "ETag": "\"one\""])
    #expect(try await load(world).response.freshness == .stale(age: 3600, reason: nil))
    world.downloader.cancelAll()
  }

  @Test func manySlotsOfOneURLCauseOneRequestAndOneDecode() async throws {
    let gate = Gate()
    let world = DiskWorld(lookupsAreHeldBy: gate)
    world.store(age: 3600)
    let tasks = (0..<20).map { _ in load(world) }
    gate.open()
    var images: Set<Image> = []
    for task in tasks { images.insert(try await task.response.image) }

    #expect(images.count == 1)
    _ = try await world.transfer()
    #expect(world.transport.transfers.count == 1)
    #expect(world.world.decoder.calls.count == 1)
    world.downloader.cancelAll()
  }

  @Test func slotThatComesDuringTheDecodeSharesIt() async throws {
    let world = DiskWorld(decodingIsHeld: true)
    world.store(age: 3600)
    let first = load(world)
    await world.world.gate.waitUntilHeld(1)
    let second = load(world)
    world.world.gate.open()

    #expect(try await first.response.image === second.response.image)
    #expect(world.world.decoder.calls.count == 1)
    world.downloader.cancelAll()
  }

  @Test func slotThatComesAfterTheLookupReceivesTheImageInMemory() async throws {
    let gate = Gate()
    let cache = ObservedCache()
    let world = DiskWorld(lookupsAreHeldBy: gate, cache: cache)
    world.store(age: 3600)
    let first = load(world)
    let isDone = Gate()
    Task.detached {
      _ = try? await first.response
      isDone.open()
    }
    cache.onNextLookup {
      gate.open()
      isDone.pass()
    }
    let second = load(world)

    #expect(try await second.response.image === first.response.image)
    #expect(try await second.response.freshness == .stale(age: 3600, reason: nil))
    _ = try await world.transfer()
    #expect(world.transport.transfers.count == 1)
    #expect(world.world.decoder.calls.count == 1)
    world.downloader.cancelAll()
  }

  /// Begins a probe of an image whose server responds to another request meanwhile. Returns the last outcome that the
  /// probe has found, and the image that was shown.
  private func probe(
    in world: DiskWorld, while respond: (FakeTransfer) -> Void
  ) async throws -> (outcome: ImageResponse?, shown: Image) {
    world.store(age: 3600)
    let downloader = world.downloader
    let shown = try await load(world).response.image
    let transfer = try await world.transfer()
    let other = downloader.load(request(policy: .refresh))
    let isDone = Gate()
    Task.detached {
      _ = try? await other.response
      isDone.open()
    }
    var outcomes: [Result<ImageResponse, ImageError>?] = []
    let probe = downloader.probe(request(policy: .refresh), additionalIdentifier: nil) {
      let outcome = downloader.knownOutcome(
        of: request(), additionalIdentifier: nil, shown: ShownImage(shown), includesFailure: true)
      outcomes.append(outcome)
      if outcomes.count == 1 {
        respond(transfer)
        isDone.pass()
      }
      return outcome == nil
    } completion: { _ in
      Issue.record("the probe was sent")
    }
    #expect(probe == nil && outcomes.count == 2 && outcomes[0] == nil)
    await downloader.drain()
    #expect(world.transport.transfers.count == 1)
    return (try outcomes.last??.get(), shown)
  }

  @Test func probeIsNotSentIfAnotherRequestReceivesANewImageMeanwhile() async throws {
    let found = try await probe(in: DiskWorld()) {
      $0.respond(with: Self.newer, ["Cache-Control": "max-age=60", "ETag": "\"two\""])
    }
    #expect(found.outcome?.freshness == .fresh && found.outcome?.image.pixelWidth == 32)
  }

  @Test func probeIsNotSentIfTheServerConfirmsTheImageMeanwhile() async throws {
    let found = try await probe(in: DiskWorld()) { $0.respondNotModified() }
    #expect(found.outcome?.freshness == .revalidated && found.outcome?.image === found.shown)
  }

  @Test func imageInMemoryIsKnownToBeStaleFromItsInsertionToItsRemoval() async throws {
    let cache = ObservedCache()
    let world = DiskWorld(cache: cache)
    world.store(age: 3600)
    let freshness = Mutex<[ImageResponse.Freshness]>([])
    let downloader = world.downloader
    cache.observe { event in
      switch event {
      case .inserted(let image):
        freshness.withLock { $0.append(downloader.freshness(of: image, for: request())) }
      case .willRemove:
        let image = cache.memory.image(for: request(), additionalIdentifier: nil)
        freshness.withLock { $0 += image.map { [downloader.freshness(of: $0, for: request())] } ?? [] }
      case .lookedUp, .asked, .willInsert: break
      }
    }
    _ = try await load(world).response
    try await world.transfer().fail(.status(503))
    await downloader.drain()
    world.world.clock.advance(by: 60)

    #expect(cache.memory.image(for: request(), additionalIdentifier: nil) == nil)
    #expect(freshness.withLock { $0.first } == .stale(age: 3600, reason: nil))
    #expect(freshness.withLock { $0.last?.age } == StoredAge(seconds: 3660))
    #expect(freshness.withLock { $0 }.count == 2)
  }

  @Test func staleImageIsRemovedAlthoughAllStaleImagesWereRemovedBeforeItsInsertion() async throws {
    let cache = ObservedCache()
    let world = DiskWorld(cache: cache)
    world.store(age: 3600)
    let downloader = world.downloader
    cache.observe { if case .willInsert = $0 { downloader.engine.staleImages.removeAll() } }
    let image = try await load(world).response.image
    try await world.transfer().fail(.status(503))
    await downloader.drain()
    #expect(cache.memory.image(for: request(), additionalIdentifier: nil) === image)
    #expect(downloader.freshness(of: image, for: request()) != .fresh)

    world.world.clock.advance(by: 60)
    #expect(cache.memory.image(for: request(), additionalIdentifier: nil) == nil)
  }

  // MARK: Responses of the server

  @Test func confirmedImageInMemoryIsNotDecodedAgain() async throws {
    let world = DiskWorld()
    world.store(age: 3600)
    let shown = try await load(world).response.image
    #expect(world.downloader.freshness(of: shown, for: request()) == .stale(age: 3600, reason: nil))
    try await world.transfer().respondNotModified(DiskWorld.minute)
    await world.downloader.drain()

    #expect(world.downloader.cachedImage(for: request()) === shown)
    #expect(world.downloader.freshness(of: shown, for: request()) == .fresh)
    #expect(world.world.decoder.calls.count == 1)
    #expect(world.disk.storeCount == 2, "the response is fresh for another minute")
    world.world.clock.advance(by: 59)
    #expect(world.downloader.cachedImage(for: request()) === shown, "the image is no longer stale")
  }

  @Test func refreshThatWaitsForTheConfirmationReceivesTheShownImage() async throws {
    let world = DiskWorld()
    world.store(age: 3600)
    let shown = try await load(world).response.image
    let refresh = world.downloader.load(request(policy: .refresh))
    let transfer = try await world.transfer()
    try await until { !refresh.isFinished && world.downloader.isRunning }
    transfer.respondNotModified(DiskWorld.minute)

    let response = try await refresh.response
    #expect(response.image === shown)
    #expect(response.freshness == .revalidated)
    #expect(response.source == .disk)
    #expect(await response.isStored())
    #expect(world.transport.transfers.count == 1)
    #expect(world.world.decoder.calls.count == 1)
  }

  @Test func confirmationDuringTheDecodeIsDeliveredWithIt() async throws {
    let world = DiskWorld(decodingIsHeld: true)
    world.store(age: 3600)
    let task = load(world)
    await world.world.gate.waitUntilHeld(1)
    try await world.transfer().respondNotModified(DiskWorld.minute)
    world.world.gate.open()

    let response = try await task.response
    #expect(response.freshness == .revalidated)
    await world.downloader.drain()
    #expect(world.world.decoder.calls.count == 1)
    #expect(world.downloader.cachedImage(for: request()) === response.image)
    #expect(world.downloader.freshness(of: response.image, for: request()) == .fresh)
    #expect(world.disk.storeCount == 2)
  }

  @Test func failureDuringTheDecodeIsTheReason() async throws {
    let world = DiskWorld(decodingIsHeld: true)
    world.store(age: 3600)
    let task = load(world)
    await world.world.gate.waitUntilHeld(1)
    try await world.transfer().fail(Self.down)
    world.world.gate.open()

    let response = try await task.response
    #expect(response.freshness == .stale(age: 3600, reason: Self.down))
    #expect(world.downloader.staleness(of: response.image)?.reason == Self.down)
    await world.downloader.drain()
    #expect(world.transport.transfers.count == 1, "not retried")
  }

  @Test func failureAfterwardsIsNotedForTheImageInMemory() async throws {
    let world = DiskWorld()
    world.store(age: 3600)
    let image = try await load(world).response.image
    try await world.transfer().fail(Self.down)
    await world.downloader.drain()

    #expect(world.downloader.staleness(of: image)?.reason == Self.down)
    world.world.clock.advance(by: 30)
    let again = try await load(world).response
    #expect(again.source == .memory)
    #expect(again.freshness == .stale(age: 3630, reason: Self.down))
    #expect(world.disk.responses.count == 1)
  }

  @Test func changedImageIsDecodedAlthoughTheStaleOneIsInMemory() async throws {
    let world = DiskWorld()
    world.store(age: 3600)
    let stale = try await load(world).response.image
    let refresh = world.downloader.load(request(policy: .refresh))
    try await world.transfer().respond(with: Self.newer, ["ETag": "\"two\""])
    let response = try await refresh.response
    #expect(response.image !== stale && response.image.pixelWidth == 32)
    #expect(response.source == .network && response.freshness == .fresh)
  }

  @Test func otherSizeIsDecodedAfterAConfirmation() async throws {
    let world = DiskWorld()
    world.store(age: 3600)
    let small = DecodeTarget(width: 8, height: 8)
    let shown = try await load(world).response.image
    let refresh = world.downloader.load(request(policy: .refresh, target: small))
    try await world.transfer().respondNotModified(DiskWorld.minute)

    let response = try await refresh.response
    #expect(response.freshness == .revalidated && response.image !== shown)
    await world.downloader.drain()
    #expect(world.world.decoder.calls.map(\.target) == [nil, small])
    #expect(world.disk.storeCount == 2, "stored once")
  }

  @Test func imageThatLeftMemoryIsDecodedAfterAConfirmation() async throws {
    let world = DiskWorld()
    world.store(age: 3600)
    _ = try await load(world).response
    world.downloader.removeAllCachedImages()
    let refresh = world.downloader.load(request(policy: .refresh))
    try await world.transfer().respondNotModified(DiskWorld.minute)
    #expect(try await refresh.response.freshness == .revalidated)
    #expect(world.world.decoder.calls.count == 2)
  }

  @Test func staleWhileRevalidateImageIsConfirmedWithoutADecode() async throws {
    let world = DiskWorld()
    world.store(
      age: 100, headers: ["Cache-Control": "max-age=60, stale-while-revalidate=1000", "ETag": "\"one\""])
    let shown = try await world.downloader.image(for: request()).image
    try await world.transfer().respondNotModified(DiskWorld.minute)
    await world.downloader.drain()
    #expect(world.downloader.cachedImage(for: request()) === shown)
    #expect(world.downloader.freshness(of: shown, for: request()) == .fresh)
    #expect(world.world.decoder.calls.count == 1)
  }

  // MARK: Stored images of refreshing slots

  @Test func storedImageIsDeliveredWithoutARequest() async throws {
    let world = DiskWorld()
    world.store(age: 3600)
    let recorder = Recorder<Result<ImageResponse, ImageError>>()
    let task = world.downloader.loadStoredImage(
      request(policy: .refresh), additionalIdentifier: nil, completion: recorder.add)
    #expect(task != nil)
    let response = try #require(try await recorder.wait(for: 1).first).get()
    #expect(response.freshness == .stale(age: 3600, reason: nil))
    #expect(world.transport.transfers.isEmpty)
    #expect(world.downloader.statistics.loads.isEmpty, "no caller has asked for it")
  }

  @Test(arguments: ["max-age=60, must-revalidate", "no-cache"])
  func storedImageObeysRevalidation(control: String) async throws {
    let gate = Gate()
    let world = DiskWorld(lookupsAreHeldBy: gate)
    world.store(age: 3600, headers: ["Cache-Control": control])
    let recorder = Recorder<ImageError?>()
    _ = world.downloader.loadStoredImage(request(policy: .refresh), additionalIdentifier: nil) { result in
      if case .failure(let error) = result { recorder.add(error) } else { recorder.add(nil) }
    }
    // A cache-only request shares the lookup, and is served regardless.
    let cacheOnly = world.downloader.load(request(policy: .cacheOnly))
    gate.open()
    #expect(try await cacheOnly.response.source == .disk)
    #expect(try await recorder.wait(for: 1) == [.notCached])
    #expect(world.downloader.statistics.failures == 0)
  }

  @Test func requestWithoutADiskCacheHasNoStoredImage() {
    let world = Fixture()
    let task = world.downloader.loadStoredImage(request(), additionalIdentifier: nil) { _ in }
    #expect(task == nil)
  }
}
