import FoundationEssentials
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Retries, host back-off and the rate limit, as a caller sees them.
@MainActor @Suite(.timeLimit(.minutes(5))) struct RetryTests {
  private let reset = ImageError.transport(.connectionLost, message: "reset")

  private func world(
    _ policy: RetryPolicy = RetryPolicy(limit: 2, delay: 1), burst: Int? = nil, random: Double = 0
  ) -> Fixture {
    Fixture {
      $0.environment.random = { random }
      $0.retries = policy
      $0.queue.rateLimit = burst.map { RateLimit(burst: $0, perSecond: 1) }
    }
  }

  private func refuse(_ transfer: FakeTransfer, _ status: Int, retryAfter: String? = nil) {
    var headers = HTTPHeaders()
    headers["Retry-After"] = retryAfter
    transfer.respond(status: status, headers: headers)
    transfer.fail(.status(status))
  }

  @Test func brokenDownloadIsRetriedAndSucceeds() async throws {
    let world = world()
    let task = world.downloader.load(request())
    world.transport.transfers[0].fail(reset)
    #expect(world.transport.transfers.count == 1, "no retry before its delay is over")
    #expect(world.downloader.activeDownloadCount == 0)
    #expect(world.downloader.waitingDownloadCount == 1)

    world.clock.advance(by: 1)

    #expect(world.transport.transfers.count == 2)
    world.transport.transfers[1].respond(with: Fixture.body)
    _ = try await task.response
    #expect(world.downloader.statistics.retries == 1)
    #expect(world.downloader.statistics.failures == 0)
  }

  @Test func lastErrorIsReportedWhenAllRetriesFail() async {
    let world = world()
    let task = world.downloader.load(request())
    for number in 0..<3 {
      world.transport.transfers[number].fail(number == 2 ? .status(502) : reset)
      world.clock.advance(by: 10)
    }
    await #expect(throws: ImageError.status(502)) { try await task.response }
    #expect(world.transport.transfers.count == 3)
  }

  @Test(
    "a permanent error is not retried",
    arguments: [.status(404), .untrustedServer(host: "a", cause: .wrongHost, message: "x")] as [ImageError])
  func permanentErrorIsNotRetried(error: ImageError) async {
    let world = world()
    let task = world.downloader.load(request())
    world.transport.transfers[0].fail(error)
    await #expect(throws: error) { try await task.response }
    #expect(world.clock.wakes.isEmpty)
  }

  @Test func undecodableBodyIsNotRetried() async {
    let world = world()
    let task = world.downloader.load(request())
    world.transport.transfers[0].respond(with: [1, 2, 3])
    await #expect(throws: ImageError.notAnImage(signature: [1, 2, 3])) { try await task.response }
    #expect(world.transport.transfers.count == 1)
  }

  @Test func failedFileLoadIsNotRetried() async {
    let world = world()
    await #expect(throws: ImageError.self) { try await world.downloader.image(for: "file:///nowhere/a.jpg") }
    #expect(world.clock.wakes.isEmpty)
  }

  @Test func retryBeyondTheTotalTimeoutIsNotMade() async {
    let world = Fixture {
      $0.retries = RetryPolicy(limit: 5, delay: 8, maximumDelay: 8)
      $0.timeouts = .init(connect: 1, stall: 1, total: 9)
    }
    let task = world.downloader.load(request())
    world.clock.advance(by: 0.5)
    world.transport.transfers[0].fail(reset)
    world.clock.advance(by: 8)
    #expect(
      world.transport.transfers[1].request.timeouts.total == 8.5, "the time left, without the retry delay")
    world.clock.advance(by: 5)
    world.transport.transfers[1].fail(.timedOut(.total(seconds: 8.5)))
    await #expect(throws: ImageError.timedOut(.total(seconds: 9))) { try await task.response }
  }

  @Test func taskThatJoinsDuringTheRetryDelayIsServedByTheRetry() async throws {
    let world = world()
    let first = world.downloader.load(request())
    world.transport.transfers[0].fail(reset)
    let second = world.downloader.load(request())
    #expect(world.transport.transfers.count == 1)
    world.clock.advance(by: 1)
    world.transport.transfers[1].respond(with: Fixture.body)
    let images = try await [first.response.image, second.response.image]
    #expect(images[0] === images[1])
  }

  @Test func cancellingDuringTheRetryDelayPreventsTheRetry() async {
    let world = world()
    let task = world.downloader.load(request())
    world.transport.transfers[0].fail(reset)
    task.cancel()
    await #expect(throws: ImageError.cancelled) { try await task.response }
    world.clock.advance(by: 100)
    #expect(world.transport.transfers.count == 1)
    #expect(!world.downloader.isRunning)
  }

  @Test func downloadThatWaitsForItsRetryDoesNotCountAsActive() {
    let world = Fixture {
      $0.queue.maximumActiveDownloads = 1
      $0.retries = RetryPolicy()
    }
    world.downloader.load(request("a"))
    world.downloader.load(request("b"))
    world.transport.transfers[0].fail(reset)
    #expect(world.transport.transfers.map { $0.request.url.lastPathComponent } == ["a", "b"])
  }

  @Test func startingLoadsDoesNotRescheduleTheRetryTimer() {
    let world = world(RetryPolicy(limit: 1, delay: 10))
    world.downloader.load(request())
    world.transport.transfers[0].fail(reset)
    #expect(world.clock.wakes.count == 1)

    for number in 0..<20 { world.downloader.load(request("\(number)")) }

    #expect(world.clock.wakes.count == 1)
  }

  @Test func eventStreamReportsRetries() async {
    let world = world(RetryPolicy(limit: 1, delay: 1))
    let task = world.downloader.load(request())
    let events = task.events
    world.transport.transfers[0].fail(reset)
    world.clock.advance(by: 1)
    world.transport.transfers[1].respond(with: Fixture.body)
    var delays: [Double] = []
    for await case .willRetry(let delay, let error) in events {
      delays.append(delay)
      #expect(error == reset)
    }
    #expect(delays.count == 1 && (0.5...1).contains(delays[0]))
  }

  // MARK: Host back-off

  @Test func retryAfterDelaysAllRequestsToTheHost() {
    let world = world()
    world.downloader.load(request("a"))
    refuse(world.transport.transfers[0], 429, retryAfter: "30")
    world.downloader.load(request("b"))
    world.downloader.load(request("c", host: "b.test"))
    #expect(world.transport.transfers.map { $0.request.url.lastPathComponent } == ["a", "c"])

    world.clock.advance(by: 29.9)
    #expect(world.transport.transfers.count == 2)
    world.clock.advance(by: 0.1)
    #expect(world.transport.transfers.count == 3, "a single probe is sent first")
    world.transport.transfers[2].respond(with: Fixture.body)
    #expect(world.transport.transfers.count == 4)
  }

  @Test(arguments: [RetryPolicy.none, RetryPolicy(limit: 2, delay: 1)])
  func devicesThatWereRefusedTogetherReturnAtDifferentTimes(policy: RetryPolicy) {
    let worlds = [0, 0.5, 1].map { world(policy, random: $0) }
    for world in worlds {
      world.downloader.load(request("a"))
      refuse(world.transport.transfers[0], 503, retryAfter: "30")
      world.downloader.load(request("b"))
    }
    for (pause, count) in [(29.9, 0), (0.2, 1), (1.3, 1), (0.2, 2), (1.3, 2), (0.2, 3)] {
      for world in worlds { world.clock.advance(by: pause) }
      #expect(worlds.count { $0.transport.transfers.count == 2 } == count)
    }
  }

  @Test func refusedProbeClosesTheHostAgain() async throws {
    let world = world(RetryPolicy(limit: 5, delay: 1))
    for name in ["a", "b", "c"] { world.downloader.load(request(name)) }
    refuse(world.transport.transfers[0], 503, retryAfter: "5")
    for transfer in world.transport.running { transfer.respond(with: Fixture.body) }
    world.clock.advance(by: 5)
    // The probe starts on this thread, or on that of a decoder which has just ended.
    refuse(try await world.transport.transfer(4), 503, retryAfter: "7")
    world.downloader.load(request("d"))
    world.clock.advance(by: 6.9)
    #expect(world.transport.transfers.count == 4)
    world.clock.advance(by: 0.2)
    _ = try await world.transport.transfer(5)
  }

  @Test func tooManyRequestsWithoutRetryAfterDoublesTheDelay() {
    let world = world(RetryPolicy(limit: 9, delay: 0))
    world.downloader.load(request())
    var waits: [Double] = []
    for number in 0..<4 {
      refuse(world.transport.transfers[number], 429)
      var waited = 0.0
      while world.transport.transfers.count == number + 1, waited < 100 {
        world.clock.advance(by: 0.5)
        waited += 0.5
      }
      waits.append(waited)
    }
    #expect(waits == [1, 2, 4, 8])
  }

  @Test func successfulProbeOpensTheHostToAllRequests() {
    let world = world(.none)
    world.downloader.load(request("a"))
    refuse(world.transport.transfers[0], 429, retryAfter: "1")
    for name in ["b", "c", "d", "e"] { world.downloader.load(request(name)) }
    world.clock.advance(by: 1)
    #expect(world.transport.transfers.count == 2)
    world.transport.transfers[1].respond(with: Fixture.body)
    #expect(world.transport.transfers.count == 5)
  }

  @Test func refusalsOfConcurrentDownloadsCountOnce() {
    let world = world(.none)
    for name in ["a", "b", "c", "d"] { world.downloader.load(request(name)) }
    for transfer in world.transport.transfers { refuse(transfer, 429) }
    world.downloader.load(request("e"))
    world.clock.advance(by: 1)
    #expect(world.transport.transfers.count == 5)
  }

  @Test func retryAfterBeyondTheMaximumDelayFailsTheLoad() async {
    let world = world(RetryPolicy(limit: 2, delay: 1, maximumDelay: 60))
    let task = world.downloader.load(request())
    refuse(world.transport.transfers[0], 503, retryAfter: "3600")
    await #expect(throws: ImageError.status(503)) { try await task.response }
  }

  @Test func endedProbeIsReplacedByAnotherRequest() {
    let world = world()
    world.downloader.load(request("a"))
    refuse(world.transport.transfers[0], 429, retryAfter: "1")
    let waiting = world.downloader.load(request("b"))
    world.downloader.load(request("c"))
    world.clock.advance(by: 1)
    #expect(world.transport.transfers.count == 2)
    let probe = world.transport.transfers[1].request.url.lastPathComponent
    if probe == "b" { waiting.cancel() } else { world.transport.transfers[1].fail(.status(404)) }
    #expect(world.transport.transfers.count >= 3)
  }

  @Test func returningNetworkEndsRetryDelaysAndBackOff() {
    let world = world()
    world.downloader.load(request("a"))
    world.downloader.load(request("b", host: "b.test"))
    refuse(world.transport.transfers[0], 429, retryAfter: "30")
    world.transport.transfers[1].fail(reset)
    #expect(world.transport.running.isEmpty)
    world.downloader.networkReturned()
    #expect(world.transport.running.count == 2)
  }

  @Test func returningNetworkClearsTheFailureMemory() async {
    let world = Fixture { $0.failureMemory = FailureMemory() }
    let task = world.downloader.load(request())
    world.transport.transfers[0].fail(.status(404))
    await #expect(throws: ImageError.status(404)) { try await task.response }
    world.downloader.load(request())
    #expect(world.transport.transfers.count == 1)
    world.downloader.networkReturned()
    world.downloader.load(request())
    #expect(world.transport.transfers.count == 2)
  }

  // MARK: Rate limit

  @Test func rateLimitBoundsDownloadsThatAreCancelled() {
    let world = world(burst: 10)
    for number in 0..<100 { world.downloader.load(request("\(number)")).cancel() }
    #expect(world.transport.transfers.count == 10)
    world.downloader.load(request("shown"))
    #expect(world.transport.transfers.count == 10)
    world.clock.advance(by: 1.1)
    #expect(world.transport.transfers.count == 11)
  }

  @Test func rateLimitDoesNotDelayDownloadsThatFinish() {
    let world = world(burst: 6)
    for number in 0..<500 { world.downloader.load(request("\(number)")) }
    while let transfer = world.transport.running.first { transfer.respond(with: Fixture.body) }
    #expect(world.transport.transfers.count == 500)
    #expect(world.clock.wakes.isEmpty)
  }

  @Test func pausingTakesNoRateLimitTokens() {
    let world = Fixture { $0.queue.rateLimit = RateLimit(burst: 1, perSecond: 0) }
    let task = world.downloader.load(request())
    for _ in 0..<10 {
      task.pause()
      task.resume()
    }
    #expect(world.transport.running.count == 1)
  }

  @Test func rateLimitDoesNotBoundConcurrentDownloads() {
    let world = Fixture {
      $0.queue.rateLimit = RateLimit(burst: 1, perSecond: 0)
      $0.queue.maximumActiveDownloads = 100
      $0.queue.maximumActiveDownloadsPerHost = 100
    }
    for number in 0..<100 { world.downloader.load(request("\(number)")) }
    #expect(world.transport.running.count == 100)
  }

  @Test func localLoadTakesNoRateLimitToken() async throws {
    let world = world(burst: 1)
    world.downloader.load(request()).cancel()
    let image = FakeDecoder.encodedImage(width: 1, height: 1)
    let text = String(decoding: image, as: UTF8.self).replacing(" ", with: "%20")
    _ = try await world.downloader.image(for: "data:,\(text)")
  }

  @Test func removingTheRateLimitStartsWaitingDownloads() {
    let world = world(burst: 1)
    world.downloader.load(request("a")).cancel()
    world.downloader.load(request("b"))
    #expect(world.transport.transfers.count == 1)
    world.downloader.rateLimit = nil
    #expect(world.transport.transfers.count == 2)
    #expect(world.downloader.rateLimit == nil)
  }
}
