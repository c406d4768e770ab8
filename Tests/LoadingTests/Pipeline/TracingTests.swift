import FoundationEssentials
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Trace events that a downloader records.
@MainActor @Suite(.timeLimit(.minutes(5))) struct TracingTests {
  private let trace = Trace()

  private func fixture(_ configure: (inout ImageDownloader.Configuration) -> Void = { _ in }) -> Fixture {
    Fixture { configuration in
      configuration.environment.trace = trace
      configure(&configuration)
    }
  }

  private var requests: [TraceEvent.Request] {
    trace.events.compactMap { event in
      if case .requested(let request) = event.kind { request } else { nil }
    }
  }

  @Test func everyStageOfALoadIsTracedInOrder() async throws {
    let world = fixture()

    let response = try await world.loaded(request(transforms: [GrayscaleTransform()]))

    let traced = try #require(requests.first)
    let kinds = trace.events.map(\.kind)
    var transfer = TraceEvent.Transfer()
    transfer.isComplete = true
    guard case .fetchEnded(_, let noted) = kinds[2] else {
      Issue.record("\(kinds[2]) is no end of a fetch")
      return
    }
    transfer = noted
    #expect(transfer.isComplete)
    #expect(!transfer.isLocal)
    #expect(
      kinds == [
        .requested(traced), .fetchBegan(fetch: traced.fetch), .fetchEnded(fetch: traced.fetch, transfer),
        .decodeBegan(decode: traced.decode), .decodeEnded(decode: traced.decode, width: 64, height: 48),
        .transformBegan(processedImage: traced.processedImage),
        .transformEnded(processedImage: traced.processedImage),
        .responded(request: traced.number, .image(response.image.number, source: "network")),
      ])
    #expect(traced.url == "http://a.test/a.jpg")
    #expect(trace.events.map(\.time) == trace.events.map(\.time).sorted())
    #expect(traced.began <= trace.events[0].time)
  }

  @Test func joiningRequestIsTracedWithTheSameStages() async throws {
    let world = fixture()
    let first = world.downloader.load(request())
    let second = world.downloader.load(request())

    world.transport.transfers[0].respond(with: Fixture.body)
    _ = try await (first.response, second.response)

    try #require(requests.count == 2)
    #expect(requests[0].number != requests[1].number)
    #expect(requests[0].fetch == requests[1].fetch)
    #expect(requests[0].decode == requests[1].decode)
    #expect(requests[0].processedImage == requests[1].processedImage)
  }

  @Test func memoryHitIsTracedAsOneEvent() async throws {
    let world = fixture()
    try await world.loaded(request())
    trace.removeAll()

    let image = try await world.loaded(request()).image

    guard case .served(_, "http://a.test/a.jpg", image.number) = trace.events.first?.kind else {
      Issue.record("\(trace.events)")
      return
    }
    #expect(trace.events.count == 1)
  }

  @Test func requestIsTracedWithItsMemoryMissReason() async throws {
    let world = fixture()
    try await world.loaded(request(target: DecodeTarget(width: 8, height: 8)))
    try await world.loaded(request(target: DecodeTarget(width: 32, height: 32)))
    try await world.loaded(request(policy: .reload))
    world.cache.purge(to: 0)
    try await world.loaded(request())
    world.cache.removeAllImages()
    try await world.loaded(request())

    #expect(requests.map(\.memory) == [.absent, .tooSmall, .bypassed, .purged, .absent])
    #expect(requests.allSatisfy { $0.disk == .noCache })
  }

  @Test func requestIsTracedWithTheReasonForNoDiskLookup() async throws {
    let world = DiskWorld { $0.environment.trace = trace }
    var memoryOnly = request("memory.jpg")
    memoryOnly.cache = .memoryOnly
    let file = ImageRequest(url: URL(filePath: "/nonexistent/a.jpg"))

    let traced = [
      request("a.jpg"), request("b.jpg", policy: .refresh), request("c.jpg", policy: .reload), memoryOnly,
      file,
    ]
    for one in traced { world.downloader.load(one).cancel() }
    await world.downloader.drain()

    #expect(requests.map(\.disk) == [nil, nil, .bypassed, .noCache, .noCache])
  }

  @Test func imageRemovedAfterAPurgeIsTracedAsAbsent() async throws {
    let world = fixture()
    try await world.loaded(request())
    world.cache.purge(to: 0)
    try await world.loaded(request())

    world.cache.removeImage(for: request(), additionalIdentifier: nil)
    try await world.loaded(request())

    #expect(requests.map(\.memory) == [.absent, .purged, .absent])
  }

  @Test func requestWithoutACacheIsTracedAsNoCache() {
    var configuration = ImageDownloader.Configuration()
    configuration.environment.trace = trace
    let downloader = ImageDownloader(
      configuration: configuration, transports: [FakeTransport()], decoder: FakeDecoder(), cache: nil)

    downloader.load(request())

    #expect(requests.map(\.memory) == [.noCache])
  }

  @Test func missInACacheOfTheApplicationIsTracedAsAbsent() {
    var configuration = ImageDownloader.Configuration()
    configuration.environment.trace = trace
    let downloader = ImageDownloader(
      configuration: configuration, transports: [FakeTransport()], decoder: FakeDecoder(), cache: EmptyCache()
    )

    downloader.load(request())

    #expect(requests.map(\.memory) == [.absent])
  }

  @Test func failuresAndCancellationsAreTracedAsOutcomes() async throws {
    let world = fixture { $0.queue.maximumActiveDownloads = 1 }
    let failing = world.downloader.load(request("1"))
    let waiting = world.downloader.load(request("2"))

    waiting.cancel()
    world.transport.transfers[0].fail(.status(404))
    _ = await (try? failing.response, try? waiting.response)

    let outcomes = trace.events.compactMap { event -> TraceEvent.Outcome? in
      if case .responded(_, let outcome) = event.kind { outcome } else { nil }
    }
    #expect(outcomes == [.cancelled, .failed("\(ImageError.status(404))")])
    // A load that never left the queue has no fetch.
    #expect(trace.events.count { if case .fetchBegan = $0.kind { true } else { false } } == 1)
  }

  @Test func immediatelyRefusedRequestIsTraced() async throws {
    let world = fixture()

    _ = try? await world.downloader.image(for: request(policy: .cacheOnly))
    _ = try? await world.downloader.image(for: ImageRequest("gopher://a.test/1"))

    #expect(requests.map(\.url) == ["http://a.test/a.jpg", "gopher://a.test/1"])
    #expect(Set(requests.map(\.number)).count == 2)
    for (traced, responded) in zip(
      requests, trace.events.filter { $0 != trace.events[0] }.compactMap(response))
    {
      #expect(traced.number == responded)
    }
    #expect(trace.events.compactMap(response).count == 2)
  }

  private func response(_ event: TraceEvent) -> UInt64? {
    if case .responded(let request, .failed) = event.kind { request } else { nil }
  }

  @Test func traceWithoutCapacityRecordsNoEvents() async throws {
    let silent = Trace(capacity: 0)
    let world = Fixture { $0.environment.trace = silent }

    try await world.loaded(request())

    #expect(silent.events.isEmpty)
  }
}

/// A cache of an application, which keeps nothing.
private final class EmptyCache: ImageRequestCache {
  func image(for request: ImageRequest, additionalIdentifier: String?) -> Image? { nil }
  func insert(_ image: Image, for request: ImageRequest, additionalIdentifier: String?) {}
  func removeImage(for request: ImageRequest, additionalIdentifier: String?) -> Bool { false }
  func removeAllImages() -> Bool { false }
}
