import FoundationEssentials
import Synchronization
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

@Suite struct FailureMemoryTests {
  private let second: Int64 = 1_000_000_000

  private func identity(_ name: String) -> RequestIdentity { request(name).identity }

  @Test("YY-B19 SD-M24 only permanent failures, which the server would return again, are remembered")
  func onlyPermanentFailuresAreRemembered() {
    let permanent: [ImageError] = [
      .status(400), .status(401), .status(403), .status(404), .status(410), .status(499), .emptyBody,
      .notAnImage(signature: []), .decoding(.png, message: ""), .redirectRefused(.downgrade),
      .redirectRefused(.tooMany(limit: 3)), .redirectRefused(.badLocation("")),
      .redirectRefused(.byRule(to: "")),
    ]
    let network = TransportFailure.allCases.map { ImageError.transport($0, message: "") }
    let others: [ImageError] =
      network + [
        .cancelled, .status(304), .status(399), .status(408), .status(425), .status(429), .status(500),
        .status(503),
        .tooLarge(.body(bytes: 1)), .tooLarge(.pixels(1)), .transform(identifier: "", message: ""),
        .notCached,
        .unreadableFile(path: "", message: ""), .timedOut(.stall(seconds: 1)), .timedOut(.total(seconds: 1)),
        .timedOut(.connect(seconds: 1)), .untrustedServer(host: "a", cause: .selfSigned, message: ""),
        .proxyFailed(status: 407, message: ""),
      ]
    for (errors, isPermanent) in [(permanent, true), (others, false)] {
      for error in errors {
        var memory = FailureMemory()
        memory.remember(error, of: identity("a"), at: 0)
        #expect(memory.error(for: identity("a"), at: 0) == (isPermanent ? error : nil))
      }
    }
  }

  @Test(arguments: [
    ImageError.contentType(String(repeating: "a", count: 2000)),
    .redirectRefused(.badLocation(String(repeating: "a", count: 2000))),
  ])
  func errorWithALongServerTextIsNotRemembered(error: ImageError) {
    var memory = FailureMemory()
    memory.remember(error, of: identity("a"), at: 0)
    #expect(memory.count == 0)
  }

  @Test func failureIsForgottenAfterItsTimeToLive() {
    var memory = FailureMemory(timeToLive: 2)
    memory.remember(.status(404), of: identity("a"), at: second)

    #expect(memory.error(for: identity("a"), at: 3 * second - 1) == .status(404))
    #expect(memory.error(for: identity("a"), at: 3 * second) == nil)
    #expect(memory.error(for: identity("b"), at: second) == nil)
  }

  @Test func newFailureReplacesTheOlderFailureOfARequest() {
    var memory = FailureMemory(timeToLive: 2, limit: 2)
    memory.remember(.status(404), of: identity("a"), at: 0)
    memory.remember(.status(404), of: identity("b"), at: 0)
    memory.remember(.status(410), of: identity("a"), at: second)
    memory.remember(.status(404), of: identity("c"), at: second)

    #expect(memory.error(for: identity("a"), at: 2 * second) == .status(410))
    #expect(memory.error(for: identity("b"), at: second) == nil)
    #expect(memory.count == 2)
  }

  @Test func oldestFailuresAreEvictedFirst() {
    var memory = FailureMemory(limit: 100)
    for number in 0..<10_000 { memory.remember(.status(404), of: identity("\(number)"), at: 0) }

    #expect(memory.count == 100)
    #expect(memory.error(for: identity("9899"), at: 0) == nil)
    #expect(memory.error(for: identity("9900"), at: 0) == .status(404))
  }

  @Test func rememberingAFailureRemovesExpiredFailures() {
    var memory = FailureMemory(timeToLive: 1)
    for number in 0..<10 { memory.remember(.status(404), of: identity("\(number)"), at: 0) }
    memory.remember(.status(404), of: identity("new"), at: second)
    #expect(memory.count == 1)
  }

  @Test(
    "A time to live or a limit of zero, below zero or NaN remembers nothing",
    arguments: [(0, 10), (-1, 10), (.nan, 10), (300, 0), (300, -1)])
  func timeToLiveOrLimitOfZeroRemembersNothing(timeToLive: Double, limit: Int) {
    var memory = FailureMemory(timeToLive: timeToLive, limit: limit)
    memory.remember(.status(404), of: identity("a"), at: 0)
    #expect(memory.error(for: identity("a"), at: 0) == nil)
    #expect(memory.count == 0)
  }

  @Test func infiniteTimeToLiveNeverExpires() {
    var memory = FailureMemory(timeToLive: .infinity)
    memory.remember(.status(404), of: identity("a"), at: 0)
    #expect(memory.error(for: identity("a"), at: .max) == .status(404))
  }

  @Test func removalReportsWhetherAFailureWasForgotten() {
    var memory = FailureMemory()
    memory.remember(.status(404), of: identity("a"), at: 0)
    memory.remember(.status(404), of: identity("b"), at: 0)

    let removals = [memory.remove(identity("a")), memory.remove(identity("a"))]
    #expect(removals == [true, false])
    #expect(memory.error(for: identity("b"), at: 0) != nil)
    let clearings = [memory.removeAll(), memory.removeAll()]
    #expect(clearings == [true, false])
    #expect(memory.error(for: identity("b"), at: 0) == nil)
  }
}

/// The failure memory as seen by a caller of the downloader.
@MainActor @Suite(.timeLimit(.minutes(5))) struct RememberedFailureTests {
  private let clock = ManualLoadingClock()

  private func world(_ memory: FailureMemory? = FailureMemory(), key: (@Sendable (URL) -> URL)? = nil)
    -> Fixture
  {
    Fixture { [clock] in
      $0.failureMemory = memory
      $0.requests.keyFilter = key
      $0.environment.clock = clock
    }
  }

  /// Loads `request` and returns its error. If the load starts a transfer, the transfer fails with `error`.
  private func failure(_ world: Fixture, _ request: ImageRequest, with error: ImageError) async throws
    -> ImageError?
  {
    let started = world.transport.transfers.count
    let task = world.downloader.load(request)
    if world.transport.transfers.count > started { world.transport.transfers[started].fail(error) }
    do { _ = try await task.response } catch { return error }
    return nil
  }

  @Test("YY-B18 without a failure memory, a failed URL is requested again")
  func failedURLIsRequestedAgainWithoutAFailureMemory() async throws {
    let world = world(nil)
    for _ in 0..<2 { #expect(try await failure(world, request(), with: .status(404)) == .status(404)) }
    #expect(world.transport.transfers.count == 2)
    #expect(!world.downloader.removeFailure(for: request()))
    #expect(!world.downloader.removeAllFailures())
  }

  @Test(
    "YY-B18 with a failure memory, a failed URL fails at once with the same error until its entry expires")
  func failedURLFailsAtOnceUntilItsEntryExpires() async throws {
    let world = world(FailureMemory(timeToLive: 10))
    #expect(try await failure(world, request(), with: .status(404)) == .status(404))
    clock.advance(by: 9)
    #expect(try await failure(world, request(), with: .status(500)) == .status(404))
    #expect(world.downloader.statistics.failures == 2)
    #expect(world.transport.transfers.count == 1)
    clock.advance(by: 1)
    #expect(try await failure(world, request(), with: .status(500)) == .status(500))
    #expect(world.transport.transfers.count == 2)
  }

  @Test("YY-B18 a remembered failure is reported after the call and has no receipt")
  func rememberedFailureIsReportedAfterTheCall() async throws {
    let world = world()
    _ = try await failure(world, request(), with: .status(404))
    let recorder = Recorder<ImageError>()

    #expect(world.downloader.download(request(), failure: recorder.add) == nil)
    #expect(recorder.values.isEmpty)
    #expect(try await recorder.wait(for: 1) == [.status(404)])
  }

  @Test(
    "YY-B18 SD-M23 the failure of a body that is no image is remembered",
    arguments: [[UInt8]("<html>".utf8), []])
  func bodyThatIsNoImageIsRememberedAsAFailure(body: [UInt8]) async throws {
    let world = world()
    let task = world.downloader.load(request())
    world.transport.transfers[0].respond(with: body)
    let expected = body.isEmpty ? ImageError.emptyBody : .notAnImage(signature: body)

    await #expect(throws: expected) { try await task.response }
    await #expect(throws: expected) { try await world.downloader.image(for: request()) }
    #expect(world.transport.transfers.count == 1)
  }

  @Test(
    "YY-B19 a URL that failed offline, by timeout, by a lost connection or with status 503 is requested again",
    arguments: [.cannotConnect, .connectionLost, .other].map { ImageError.transport($0, message: "") }
      + [.status(503)])
  func retryableFailureIsNotRemembered(error: ImageError) async throws {
    let world = world()
    for _ in 0..<2 { #expect(try await failure(world, request(), with: error) == error) }
    #expect(world.transport.transfers.count == 2)
  }

  @Test("YY-B19 a URL whose load was cancelled is requested again")
  func cancelledLoadIsRequestedAgain() async throws {
    let world = world()
    let task = world.downloader.load(request())
    task.cancel()
    await #expect(throws: ImageError.cancelled) { try await task.response }
    try await world.loaded(request())
  }

  @Test("YY-B18 SD-M23 a reload sends a request, other loads join it, and its success removes the failure")
  func reloadIgnoresARememberedFailure() async throws {
    let world = world()
    _ = try await failure(world, request(), with: .status(404))
    let reload = world.downloader.load(request(policy: .reload))
    let joined = world.downloader.load(request())
    world.transport.transfers[1].respond(with: Fixture.body)
    _ = try await reload.response
    _ = try await joined.response
    world.downloader.removeAllCachedImages()

    try await world.loaded(request())
    #expect(world.transport.transfers.count == 3)
  }

  @Test("YY-B18 SD-M25 remembered failures can be removed, one or all", arguments: [true, false])
  func rememberedFailuresCanBeRemoved(all: Bool) async throws {
    let world = world()
    _ = try await failure(world, request(), with: .status(404))
    #expect(all ? world.downloader.removeAllFailures() : world.downloader.removeFailure(for: request()))
    try await world.loaded(request())
  }

  @Test("YY-B19 a request with other credentials is not affected by a remembered failure")
  func otherCredentialsAreNotAffectedByARememberedFailure() async throws {
    let world = world()
    _ = try await failure(world, request(), with: .status(401))
    var other = request()
    other.headers["Authorization"] = "Basic eA=="
    try await world.loaded(other)
  }

  @Test("YY-B19 a URL with a new signature is requested, although it has the same cache key")
  func urlWithANewSignatureIsRequested() async throws {
    let world = world(key: \.withoutQuery)
    let old = ImageRequest(url: url("a.jpg?signature=1"))
    _ = try await failure(world, old, with: .status(403))
    try await world.loaded(ImageRequest(url: url("a.jpg?signature=2")))

    #expect(world.downloader.cachedImage(for: old) != nil)
    world.downloader.removeAllCachedImages()
    #expect(try await failure(world, old, with: .status(500)) == .status(403))
  }

  @Test func failuresOfDataURLsAreNotRemembered() async throws {
    let world = world()
    let nothing = ImageRequest(url: URL(string: "data:,") ?? url())
    let noImage = ImageRequest(url: URL(string: "data:,x") ?? url())
    for request in [nothing, noImage] {
      _ = try await failure(world, request, with: .cancelled)
      #expect(!world.downloader.removeFailure(for: request))
    }
  }
}
