import FoundationEssentials
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// State, configuration and shutdown of a downloader.
@MainActor @Suite(.timeLimit(.minutes(5))) struct WholeDownloaderTests {
  @Test("SD-D1 SD-M1 a new downloader is not the shared one") func newDownloaderIsNotTheSharedOne() {
    #expect(Fixture().downloader !== ImageDownloader.shared)
  }

  @Test("SD-M2 the downloader runs while a load waits; the response has the image, URL and source")
  func downloaderRunsWhileALoadWaits() async throws {
    let world = Fixture()
    #expect(!world.downloader.isRunning)
    let task = world.downloader.load(request())
    #expect(world.downloader.isRunning)
    world.transport.transfers[0].respond(with: Fixture.body)
    let response = try await task.response
    #expect(response.http?.url == url())
    #expect(response.image.pixelWidth == 64)
    #expect(response.source == .network, "not from a cache")
    #expect(!world.downloader.isRunning)
  }

  @Test("SD-D11 one download is active, then none when the task is cancelled")
  func activeCountFollowsStartAndCancel() async throws {
    let world = Fixture()
    let task = world.downloader.load(request())
    #expect(world.downloader.activeDownloadCount == 1)
    task.cancel()
    #expect(world.downloader.activeDownloadCount == 0)
    await #expect(throws: ImageError.cancelled) { try await task.response }
  }

  @Test("SD-D12 SD-M4 cancelling all loads fails every task with a cancellation, and nothing runs")
  func cancellingAllEndsEveryLoad() async throws {
    let world = Fixture()
    let tasks = (0..<20).map { world.downloader.load(request("\($0)")) }
    #expect(world.downloader.activeDownloadCount + world.downloader.waitingDownloadCount == 20)
    world.downloader.cancelAll()
    #expect(world.downloader.activeDownloadCount + world.downloader.waitingDownloadCount == 0)
    #expect(!world.downloader.isRunning)
    for task in tasks { await #expect(throws: ImageError.cancelled) { try await task.response } }
  }

  @Test("AF-S9 SD-D21 after all loads are cancelled the same downloader loads again")
  func downloaderLoadsAgainAfterCancelAll() async throws {
    let world = Fixture()
    world.downloader.load(request())
    world.downloader.cancelAll()
    _ = try await world.loaded(request())
  }

  @Test("SD-M29 cancelling a finished task does nothing; a task cancelled twice completes once")
  func repeatedCancelCompletesOnce() async throws {
    let world = Fixture()
    let recorder = Recorder<Bool>()
    let task = world.downloader.load(request()) { recorder.add((try? $0.get()) != nil) }
    task.cancel()
    task.cancel()
    #expect(try await recorder.wait(for: 1) == [false])
    let next = world.downloader.load(request()) { recorder.add((try? $0.get()) != nil) }
    world.transport.transfers[1].respond(with: Fixture.body)
    #expect(try await recorder.wait(for: 2) == [false, true])
    next.cancel()
    #expect(world.downloader.statistics.cancellations == 1)
  }

  @Test("SD-M26 a request without a URL fails, and nothing runs", arguments: ["", " "])
  func requestWithoutAURLFails(text: String)
    async throws
  {
    let world = Fixture()
    await #expect(throws: ImageError.invalidURL(text)) { try await world.downloader.image(for: text) }
    #expect(!world.downloader.isRunning)
  }

  /// Expects that `drain` returns after `end` is called, and not before.
  private func expectDrained(_ downloader: ImageDownloader, by end: () -> Void) async throws {
    let isDrained = Flag()
    Task {
      await downloader.drain()
      isDrained.value = true
    }
    await drainMainQueue(rounds: 20)
    #expect(!isDrained.value)
    end()
    try await until { isDrained.value }
  }

  @Test func drainWaitsForTransfersThatEndAfterCancellation() async throws {
    let world = Fixture(endsCancelled: false)
    await world.downloader.drain()
    let task = world.downloader.load(request())
    task.cancel()
    try await expectDrained(world.downloader) { world.transport.transfers[0].fail(.cancelled) }
  }

  @Test func drainWaitsForTheDecodeOfACancelledLoad() async throws {
    let world = Fixture(decodingIsHeld: true)
    let task = world.downloader.load(request())
    world.transport.transfers[0].respond(with: Fixture.body)
    await world.gate.waitUntilHeld(1)
    task.cancel()
    try await expectDrained(world.downloader) { world.gate.open() }
  }

  @Test(arguments: [true, false])
  func shutDownEndsRunningLoadsAndRefusesNewOnes(cancelling: Bool) async throws {
    let world = Fixture()
    let task = world.downloader.load(request())
    let hasShutDown = Flag()
    Task {
      await world.downloader.shutDown(cancelling: cancelling)
      hasShutDown.value = true
    }
    try await until { world.downloader.isShutDown }
    await #expect(throws: ImageError.shutDown) { try await world.downloader.image(for: request("b")) }
    if !cancelling {
      world.transport.transfers[0].respond(with: Fixture.body)
      _ = try await task.response
    }
    try await until { hasShutDown.value }
    #expect(task.isFinished)
    await world.downloader.shutDown()
    #expect(world.downloader.cachedImage(for: request()) != nil || cancelling)
  }

  @Test("SD-D5 the maximum of active downloads can be changed and read") func maximumIsReadable() {
    let world = Fixture()
    world.downloader.maximumActiveDownloads = 3
    #expect(world.downloader.maximumActiveDownloads == 3)
  }

  @Test("SD-D35 the defaults are six downloads at once and 15 s without a byte")
  func configurationDefaultsToSixDownloadsAndAStallOf15Seconds() {
    let configuration = ImageDownloader.Configuration()
    #expect(configuration.queue.maximumActiveDownloads == 6)
    #expect(configuration.timeouts.stall == 15)
  }

  @Test(
    "SD-D34 SD-D6 transports can be added, replaced and removed, and then the first one serves again")
  func transportsCanBeAddedReplacedAndRemoved() async throws {
    let world = Fixture()
    let other = FakeTransport(schemes: ["gopher"])
    other.respondToAll { $0.respond(with: Fixture.body) }
    await #expect(throws: ImageError.unsupportedScheme("gopher")) {
      try await world.downloader.image(for: "gopher://a.test/a")
    }
    world.downloader.transports.append(other)
    _ = try await world.downloader.image(for: "gopher://a.test/a")
    #expect(other.transfers.count == 1)
    let first = world.downloader.transports
    let custom = FakeTransport()
    custom.respondToAll { $0.respond(with: Fixture.body) }
    world.downloader.transports = [custom]
    await #expect(throws: ImageError.unsupportedScheme("gopher")) {
      try await world.downloader.image(for: "gopher://a.test/b")
    }
    _ = try await world.downloader.image(for: request("custom.jpg"))
    #expect(custom.transfers.count == 1 && world.transport.transfers.isEmpty)
    world.downloader.transports = first
    try await world.loaded(request("default.jpg"))
    #expect(custom.transfers.count == 1 && world.transport.transfers.count == 1)
  }

  @Test("SD-D33 a custom transport serves the schemes it names")
  func customTransportServesItsSchemes() async throws {
    let custom = FakeTransport(schemes: ["own"])
    custom.respondToAll { $0.respond(with: Fixture.body) }
    let downloader = ImageDownloader(transports: [custom], decoder: FakeDecoder())
    #expect(try await downloader.image(for: "own://x/y").image.pixelWidth == 64)
  }

  @Test(
    "SD-D33 a cancellation by a custom transport is not remembered as a failure, while an error is",
    arguments: [true, false])
  func cancellationByACustomTransportIsNotRemembered(isCancelled: Bool) async throws {
    let custom = FakeTransport(schemes: ["own"])
    var configuration = ImageDownloader.Configuration()
    configuration.retries = .none
    configuration.failureMemory = FailureMemory()
    let downloader = ImageDownloader(
      configuration: configuration, transports: [custom], decoder: FakeDecoder(), cache: nil)
    let error: ImageError = isCancelled ? .cancelled : .status(404)
    custom.respondToAll { $0.fail(error) }
    await #expect(throws: error) { try await downloader.image(for: "own://x/y") }

    custom.respondToAll { $0.respond(with: Fixture.body) }
    let image = try? await downloader.image(for: "own://x/y").image

    #expect((image?.pixelWidth == 64) == isCancelled)
    #expect(custom.transfers.count == (isCancelled ? 2 : 1))
  }

  @Test("SD-D4 SD-M2 a response has the image, and its bytes if the request asks for them")
  func responseHasItsBytesOnRequest() async throws {
    let world = Fixture()
    var keeping = request()
    keeping.keepsData = true
    let first = world.downloader.load(keeping)
    let second = world.downloader.load(request())
    world.transport.transfers[0].respond(with: Fixture.body)
    #expect(try await first.response.data == Fixture.body)
    #expect(try await second.response.data == nil)
    #expect(world.transport.transfers.count == 1)
    #expect(try await world.downloader.image(for: keeping).data == nil, "a memory hit has no bytes")
  }

  @Test("SD-D3 a header can be set, read, and removed") func headersCanBeSetReadAndRemoved() {
    var request = request()
    request.headers["X-A"] = "1"
    #expect(request.headers["x-a"] == "1")
    request.headers["X-A"] = nil
    #expect(request.headers["X-A"] == nil)
  }

  @Test(
    "SD-D3 a header of the downloader can be read, is sent with requests that do not set it, and is removed by nil"
  )
  func defaultHeadersAreSentUnlessARequestSetsThem() async throws {
    var configuration = ImageDownloader.Configuration()
    configuration.requests.headers["X-A"] = "1"
    configuration.requests.headers["Accept-Language"] = "de"
    #expect(configuration.requests.headers["x-a"] == "1")
    configuration.requests.headers["X-B"] = "2"
    configuration.requests.headers["X-B"] = nil
    #expect(configuration.requests.headers["X-B"] == nil)
    let headers = configuration.requests.headers
    let world = Fixture { $0.requests.headers = headers }
    var own = request("own.jpg")
    own.headers = ["x-a": "own", "X-C": "3"]

    try await world.loaded(request())
    try await world.loaded(own)

    let sent = world.transport.transfers.map(\.request.headers)
    #expect(sent.map { $0["X-A"] } == ["1", "own"])
    #expect(sent.map { $0["X-C"] } == [nil, "3"])
    #expect(sent.map { $0["Accept-Language"] } == ["de", "de"])
    #expect(sent[1].fields.filter { $0.name.lowercased() == "x-a" }.count == 1)
    #expect(world.downloader.cachedImage(for: request()) != nil)
    // Headers of the downloader that change the response are part of the identity.
    var german = request()
    german.headers = ["Accept-Language": "de"]
    #expect(world.cache.image(for: german, additionalIdentifier: nil) != nil)
    #expect(world.cache.image(for: request(), additionalIdentifier: nil) == nil)
  }

  @Test("SD-D2 requests accept any image, and any type with a lower quality, unless the caller sets Accept")
  func requestsAcceptAnyImageByDefault() {
    let world = Fixture()
    world.downloader.load(request())
    #expect(world.transport.transfers[0].request.headers["Accept"] == ImageRequest.defaultAccept)
    #expect(ImageRequest.defaultAccept.hasSuffix("image/*,*/*;q=0.8"))
    for format in ["image/webp", "image/png", "image/jpeg", "image/gif"] {
      #expect(ImageRequest.defaultAccept.split(separator: ",").contains { $0 == format })
    }
    var own = request("own.jpg")
    own.headers = ["Accept": "image/png"]
    world.downloader.load(own)
    #expect(world.transport.transfers[1].request.headers["Accept"] == "image/png")
  }
}

@MainActor private final class Flag { var value = false }
