import FoundationEssentials
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Downloads that continue with resumable data, or discard the data.
@MainActor @Suite(.timeLimit(.minutes(5))) struct ResumingTests: HalfDownloads {
  @Test func retryOfABrokenTransferRequestsTheMissingBytes() async throws {
    let world = Fixture { $0.retries = RetryPolicy(limit: 1, delay: 1) }
    let task = world.downloader.load(request())
    sendHalf(world.transport.transfers[0])
    world.transport.transfers[0].fail(.transport(.truncatedBody, message: "partial file"))
    world.clock.advance(by: 1)
    #expect(world.transport.transfers[1].request.headers["Range"] == "bytes=6000-")
    sendRest(world.transport.transfers[1])
    _ = try await task.response
    #expect(world.downloader.statistics.resumed == 1)
  }

  @Test(arguments: [nil, 503]) func resumableDataOutlivesAFailedRetry(status: Int?) async throws {
    let world = Fixture { $0.retries = RetryPolicy(limit: 2, delay: 1) }
    let task = world.downloader.load(request())
    sendHalf(world.transport.transfers[0])
    world.transport.transfers[0].fail(.transport(.truncatedBody, message: "partial file"))
    world.clock.advance(by: 1)
    if let status { world.transport.transfers[1].respond(status: status) }
    world.transport.transfers[1].fail(
      status.map { .status($0) } ?? .transport(.cannotConnect, message: "refused"))
    world.clock.advance(by: 2)
    #expect(world.transport.transfers[2].request.headers["Range"] == "bytes=6000-")
    sendRest(world.transport.transfers[2])
    _ = try await task.response
  }

  @Test func repeatedPausesKeepTheResumableData() {
    let world = Fixture()
    let task = world.downloader.load(request())
    sendHalf(world.transport.transfers[0])
    for _ in 0..<3 {
      task.pause()
      task.resume()
    }
    #expect(world.transport.transfers[3].request.headers["Range"] == "bytes=6000-")
  }

  @Test(
    "a range that is shorter or longer than the missing bytes makes the load request the whole body",
    arguments: [
      ("bytes 6000-7999/10000", 2000), ("bytes 6000-9999/10000", 3000), ("bytes 6000-9999/*", 5000),
    ])
  func rangeOfAnotherLengthIsDiscarded(range: String, length: Int) async throws {
    let world = Fixture()
    let task = world.downloader.load(request())
    sendHalf(world.transport.transfers[0])
    task.pause()
    task.resume()
    let second = world.transport.transfers[1]
    second.respond(status: 206, headers: ["Content-Range": range, "ETag": "\"v1\""])
    second.send([UInt8](repeating: UInt8(ascii: " "), count: length))
    second.finish()
    #expect(world.transport.transfers.count == 3)
    #expect(world.transport.transfers.last?.request.headers["Range"] == nil)
    world.transport.transfers.last?.respond(with: Fixture.body)
    _ = try await task.response
  }

  @Test(
    "a Content-Range with numbers out of bounds makes the load request the whole body",
    arguments: [
      ("bytes 6000-9223372036854775807/*", nil), ("bytes 6000-9223372036854775806/9223372036854775807", nil),
      ("bytes 6000-2305843009213693952/*", 4000), ("bytes 6000-2305843009213693951/*", 4000),
      ("bytes 6000-99999999999999999999/*", nil), ("bytes 9223372036854775807-9223372036854775807/*", nil),
      ("bytes +6000-+9999/*", nil), ("bytes 6000-9999/+10000", nil),
      ("bytes 6000-9999/9223372036854775807", .max),
    ] as [(String, Int?)])
  func contentRangeOutOfBoundsIsDiscarded(range: String, length: Int?) async throws {
    let world = Fixture { $0.retries = RetryPolicy(limit: 1, delay: 1) }
    let task = world.downloader.load(request())
    world.transport.transfers[0].respond(headers: tag)
    world.transport.transfers[0].send(Array(Self.body[..<6000]))
    world.transport.transfers[0].fail(.transport(.truncatedBody, message: "partial file"))
    world.clock.advance(by: 1)

    let second = world.transport.transfers[1]
    second.respond(
      status: 206, headers: ["Content-Range": range, "ETag": "\"v1\""], expectedLength: length)
    second.send(Array(Self.body[6000...]))
    second.finish()

    #expect(world.transport.transfers.count == 3)
    #expect(world.transport.transfers.last?.request.headers["Range"] == nil)
    world.transport.transfers.last?.respond(with: Fixture.body)
    _ = try await task.response
  }

  @Test("resuming a body with a huge declared length does not overflow", arguments: [Int.max, .min, -1])
  func hugeDeclaredLengthDoesNotOverflow(length: Int) async throws {
    let world = Fixture()
    let task = world.downloader.load(request())
    world.transport.transfers[0].respond(headers: tag, expectedLength: length)
    world.transport.transfers[0].send(Array(Self.body[..<6000]))
    task.pause()
    task.resume()

    let second = world.transport.transfers[1]
    second.respond(
      status: 206, headers: ["Content-Range": "bytes 6000-9999/*", "ETag": "\"v1\""], expectedLength: length)
    second.send(Array(Self.body[6000...]))
    second.finish()

    if length > 0 {
      // The declared length exceeds the bytes received.
      #expect(world.transport.transfers.count == 3)
      world.transport.transfers.last?.respond(with: Fixture.body)
    }
    _ = try await task.response
  }

  @Test(arguments: [Int.max, .min]) func extremeBodyLimitsDoNotOverflow(limit: Int) async throws {
    let world = Fixture { $0.responses.bodyLimit = limit }
    let task = world.downloader.load(request())
    sendHalf(world.transport.transfers[0])
    task.pause()
    task.resume()
    #expect(world.transport.transfers[1].request.bodyLimit == (limit > 0 ? limit - 6000 : 0))
    world.transport.transfers[1].respond(
      status: 206, headers: ["Content-Range": "bytes 6000-9999/10000", "ETag": "\"v1\""])
    world.transport.transfers[1].fail(.tooLarge(.body(bytes: .max)))
    await #expect(throws: ImageError.tooLarge(.body(bytes: .max))) { try await task.response }
  }

  @Test func wholeBodyBeyondTheRemainingLimitIsRequestedAgain() async throws {
    let world = Fixture { $0.responses.bodyLimit = 7000 }
    let task = world.downloader.load(request())
    sendHalf(world.transport.transfers[0])
    task.pause()
    task.resume()
    world.transport.transfers[1].respond(expectedLength: 5000)
    world.transport.transfers[1].fail(.tooLarge(.body(bytes: 1000)))
    #expect(world.transport.transfers.count == 3)
    #expect(world.transport.transfers.last?.request.bodyLimit == 7000)
    world.transport.transfers.last?.respond(with: Fixture.body)
    _ = try await task.response
  }

  @Test func tooLargeRangeFailsWithTheLimitOfTheWholeBody() async {
    let world = Fixture { $0.responses.bodyLimit = 7000 }
    let task = world.downloader.load(request())
    sendHalf(world.transport.transfers[0])
    task.pause()
    task.resume()
    world.transport.transfers[1].respond(
      status: 206, headers: ["Content-Range": "bytes 6000-9999/10000", "ETag": "\"v1\""])
    world.transport.transfers[1].fail(.tooLarge(.body(bytes: 1000)))
    await #expect(throws: ImageError.tooLarge(.body(bytes: 7000))) { try await task.response }
  }

  @Test func rangeRequestedByACallerIsNotResumableData() {
    let world = Fixture()
    var ranged = request()
    ranged.headers = ["Range": "bytes=100-"]
    let task = world.downloader.load(ranged)
    world.transport.transfers[0].respond(
      status: 206, headers: ["Content-Range": "bytes 100-10099/10100", "ETag": "\"v1\""],
      expectedLength: 10_000)
    world.transport.transfers[0].send(Array(Self.body[..<6000]))
    task.cancel()
    world.downloader.load(request())
    #expect(world.transport.transfers[1].request.headers["Range"] == nil)
  }

  @Test func shutDownReleasesResumableData() async {
    let ledger = MemoryLedger()
    let world = Fixture { $0.memory.ledger = ledger }
    let cancelled = world.downloader.load(request("a"))
    sendHalf(world.transport.transfers[0])
    cancelled.cancel()
    #expect(ledger.usage.bodies == 6000)
    world.downloader.load(request("b"))
    sendHalf(world.transport.transfers[1])
    await world.downloader.shutDown()
    #expect(ledger.usage.bodies == 0)
  }

  @Test func changedBodyReplacesResumableData() async throws {
    let world = Fixture()
    let task = world.downloader.load(request())
    sendHalf(world.transport.transfers[0])
    task.pause()
    task.resume()
    world.transport.transfers[1].respond(with: FakeDecoder.encodedImage(width: 3, height: 2))
    #expect(try await task.response.image.pixelWidth == 3)
  }

  @Test(arguments: [true, false])
  func refusedOrMismatchedRangeMakesTheLoadRequestTheWholeBody(isRefused: Bool) async throws {
    let world = Fixture()
    let task = world.downloader.load(request())
    sendHalf(world.transport.transfers[0])
    task.pause()
    task.resume()
    if isRefused {
      world.transport.transfers[1].respond(status: 416)
      world.transport.transfers[1].fail(.status(416))
    } else {
      sendRest(world.transport.transfers[1], tag: "\"v2\"")
    }
    #expect(world.transport.transfers.count == 3)
    #expect(world.transport.transfers[2].request.headers["Range"] == nil)
    world.transport.transfers[2].respond(with: Fixture.body)
    _ = try await task.response
  }

  @Test func loadFailsWhenTheServerRefusesTheRangeTwice() async throws {
    let world = Fixture()
    let task = world.downloader.load(request())
    for index in [0, 2] {
      sendHalf(world.transport.transfers[index])
      task.pause()
      task.resume()
      let resumed = world.transport.transfers[index + 1]
      #expect(resumed.request.headers["Range"] == "bytes=6000-")
      resumed.respond(status: 416)
      resumed.fail(.status(416))
    }

    try #require(world.transport.transfers.count == 4, "the whole body is requested again only once")
    await #expect(throws: ImageError.status(416)) { try await task.response }
  }

  @Test func nextLoadResumesACancelledDownload() async throws {
    let world = Fixture()
    let first = world.downloader.load(request())
    sendHalf(world.transport.transfers[0])
    first.cancel()
    let second = world.downloader.load(request())
    #expect(world.transport.transfers[1].request.headers["Range"] == "bytes=6000-")
    sendRest(world.transport.transfers[1])
    _ = try await second.response
  }

  @Test func bodyWithoutAValidatorIsRequestedWhole() {
    let world = Fixture()
    let task = world.downloader.load(request())
    sendHalf(world.transport.transfers[0], headers: [:])
    task.pause()
    task.resume()
    #expect(world.transport.transfers[1].request.headers["Range"] == nil)
  }

  @Test func resumableDataIsNotUsedForOtherCredentials() {
    let world = Fixture()
    var first = request()
    first.headers = ["Authorization": "Bearer a"]
    let task = world.downloader.load(first)
    sendHalf(world.transport.transfers[0])
    task.cancel()
    var other = request()
    other.headers = ["Authorization": "Bearer b"]
    world.downloader.load(other)
    #expect(world.transport.transfers[1].request.headers["Range"] == nil)
  }

  @Test func resumedRequestIsLimitedToTheRemainingBytes() async {
    let world = Fixture { $0.responses.bodyLimit = 7000 }
    let task = world.downloader.load(request())
    sendHalf(world.transport.transfers[0])
    task.pause()
    task.resume()
    #expect(world.transport.transfers[1].request.bodyLimit == 1000)
  }

  @Test func unrequestedPartialContentFailsTheLoad() async {
    let world = Fixture()
    let task = world.downloader.load(request())
    world.transport.transfers[0].respond(status: 206, headers: ["Content-Range": "bytes 0-9/100"])
    await #expect(throws: ImageError.status(206)) { try await task.response }
    #expect(world.transport.transfers[0].isCancelled)
  }

  @Test func resumableBytesLimitOfZeroRequestsTheWholeBody() {
    let world = Fixture { $0.memory.resumableBytesLimit = 0 }
    let task = world.downloader.load(request())
    sendHalf(world.transport.transfers[0])
    task.pause()
    task.resume()
    #expect(world.transport.transfers[1].request.headers["Range"] == nil)
  }
}
