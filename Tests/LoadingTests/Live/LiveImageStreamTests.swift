import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Live streams with a fake transport, a fake decoder and a manual clock.
@Suite(.timeLimit(.minutes(5))) @MainActor struct LiveImageStreamTests {
  private typealias Event = LiveImageStream.Event

  private let frames = Recorder<Image>()
  private let events = Recorder<LiveImageStream.Event>()

  private func stream(
    _ world: Fixture, _ request: ImageRequest = request("video.mjpg"), target: DecodeTarget? = nil,
    options: LiveImageStream.Options = .init()
  ) -> LiveImageStream {
    world.downloader.liveImages(
      request, target: target, options: options, onFrame: { [frames] in frames.add($0) },
      onEvent: { [events] in events.add($0) })
  }

  /// Returns the bytes of a part with an image of a width.
  private func part(width: Int, count: Int = 0) -> [UInt8] {
    let body = FakeDecoder.encodedImage(width: width, height: 8, count: count)
    return bytes("--frame\r\nContent-Length: \(body.count)\r\n\r\n") + body + bytes("\r\n")
  }

  private let multipart: HTTPHeaders = ["Content-Type": "multipart/x-mixed-replace; boundary=frame"]

  private func widths() -> [Int] { frames.values.map(\.pixelWidth) }

  @Test func partsAreDecodedToTheTargetAndDelivered() async throws {
    let world = Fixture()
    let stream = stream(world, target: DecodeTarget(width: 20, height: 20))
    let transfer = try await world.transport.transfer(1)
    #expect(transfer.request.headers["Accept"]?.hasPrefix("multipart/x-mixed-replace,") == true)
    #expect(transfer.request.bodyLimit == .max)

    transfer.respond(headers: multipart)
    for width in [100, 60, 40] {
      transfer.send(part(width: width) + bytes("--frame\r\n"))
      transfer.send(bytes("\r\n--frame\r\n"))
    }
    _ = try await events.wait(for: 1)
    try await until { stream.statistics.framesDecoded + stream.statistics.framesDropped == 3 }
    try await until { frames.values.count == stream.statistics.framesDecoded }

    #expect(events.values == [.playing])
    #expect(world.decoder.calls.allSatisfy { $0.target == DecodeTarget(width: 20, height: 20) })
    #expect(!transfer.isCancelled)
    #expect(world.cache.image(for: request("video.mjpg"), additionalIdentifier: nil) == nil, "not cached")
  }

  @Test func framesThatArriveWhileDecodingAreDroppedExceptTheNewest() async throws {
    let world = Fixture(decodingIsHeld: true)
    let stream = stream(world)
    let transfer = try await world.transport.transfer(1)
    transfer.respond(headers: multipart)
    transfer.send(part(width: 10) + part(width: 11) + bytes("--frame\r\n"))
    await world.gate.waitUntilHeld(1)
    for width in 12...50 { transfer.send(part(width: width)) }
    transfer.send(bytes("--frame\r\n"))

    world.gate.open()
    try await until { widths().last == 50 }

    #expect(widths() == [10, 50])
    #expect(stream.statistics.framesReceived == 41)
    #expect(stream.statistics.framesDropped == 39)
  }

  @Test func memoryIsReleasedWithTheStream() async throws {
    let ledger = MemoryLedger(budget: 1 << 20)
    let world = Fixture { $0.memory.ledger = ledger }
    var stream: LiveImageStream? = stream(world)
    let transfer = try await world.transport.transfer(1)
    transfer.respond(headers: multipart)
    transfer.send(
      part(width: 10, count: 50_000) + bytes("--frame\r\n\r\n") + Array(repeating: 1, count: 30_000))
    _ = try await frames.wait(for: 1)
    #expect(ledger.usage.bodies == 30_000)

    stream?.cancel()
    stream = nil

    try await until { ledger.usage.bodies == 0 && ledger.usage.decoding == 0 }
    #expect(transfer.isCancelled)
  }

  @Test func frameWithoutMemoryIsDroppedAndTheStreamGoesOn() async throws {
    let ledger = MemoryLedger(budget: 200_000)
    let world = Fixture { $0.memory.ledger = ledger }
    let stream = stream(world)
    let transfer = try await world.transport.transfer(1)
    transfer.respond(headers: multipart)
    transfer.send(bytes("--frame\r\n\r\n"))
    for _ in 0..<50 { transfer.send(Array(repeating: 1, count: 10_000)) }
    #expect(ledger.usage.bodies < 200_000)

    transfer.send(bytes("\r\n") + part(width: 10) + bytes("--frame\r\n"))
    _ = try await frames.wait(for: 1)

    #expect(stream.statistics.framesDropped == 1)
    #expect(ledger.peak <= 200_000)
  }

  @Test func lastFrameStaysWhileABrokenStreamConnectsAgain() async throws {
    let world = Fixture()
    let stream = stream(world)
    let error = ImageError.transport(.connectionLost, message: "")
    let first = try await world.transport.transfer(1)
    first.respond(headers: multipart)
    first.send(part(width: 10) + bytes("--frame\r\n\r\n12 8 0"))
    _ = try await frames.wait(for: 1)
    first.fail(error)

    world.clock.advance(by: 0.9)
    #expect(world.transport.transfers.count == 1)
    world.clock.advance(by: 0.1)
    let second = try await world.transport.transfer(2)
    second.respond(headers: multipart)
    second.send(part(width: 20) + bytes("--frame\r\n"))
    _ = try await events.wait(for: 3)

    #expect(events.values == [.playing, .interrupted(error, retryDelay: 1), .playing])
    #expect(widths() == [10, 20])
    #expect(stream.statistics.reconnects == 1)
  }

  @Test func eventsArriveInTheOrderInWhichTheyHappened() async throws {
    for _ in 0..<20 {
      let world = Fixture()
      let log = Recorder<String>()
      let transfers = world.transport
      let stream = world.downloader.liveImages(
        request("video.mjpg"),
        onFrame: { _ in
          log.add("frame")
          // The connection breaks while the thread that decoded the image may still be at work.
          transfers.transfers.last?.fail(.transport(.connectionLost, message: ""))
        },
        onEvent: { event in
          switch event {
          case .playing: log.add("playing")
          case .interrupted: log.add("interrupted")
          default: log.add("\(event)")
          }
        })
      let transfer = try await world.transport.transfer(1)
      transfer.respond(headers: multipart)
      transfer.send(part(width: 10) + bytes("--frame\r\n"))
      _ = try await log.wait(for: 3)

      #expect(log.values == ["frame", "playing", "interrupted"])
      stream.cancel()
    }
  }

  @Test func silentStreamIsReplaced() async throws {
    let world = Fixture()
    let stream = stream(world, options: .init(stallLimit: 4))
    let first = try await world.transport.transfer(1)
    first.respond(headers: multipart)
    world.clock.advance(by: 3)
    first.send(bytes("--frame\r\n"))
    world.clock.advance(by: 3.9)
    #expect(!first.isCancelled)

    world.clock.advance(by: 12)
    _ = try await world.transport.transfer(2)
    _ = try await events.wait(for: 1)

    #expect(first.isCancelled)
    #expect(events.values == [.interrupted(.timedOut(.stall(seconds: 4)), retryDelay: 1)])
    #expect(!stream.hasEnded)
  }

  @Test func emptyPartsCountAsSilence() async throws {
    let world = Fixture()
    let stream = stream(world, options: .init(stallLimit: 4))
    let first = try await world.transport.transfer(1)
    first.respond(headers: multipart)
    let empty = bytes("--frame\r\n\r\n")
    first.send(empty)
    for _ in 0..<3 {
      world.clock.advance(by: 1)
      first.send(empty)
    }
    // A frame counts, also if an empty part follows with the same bytes.
    first.send(part(width: 10) + empty + empty)
    _ = try await frames.wait(for: 1)
    for _ in 0..<3 {
      world.clock.advance(by: 1)
      first.send(empty)
    }
    #expect(!first.isCancelled)

    world.clock.advance(by: 1)
    _ = try await events.wait(for: 2)
    #expect(first.isCancelled)
    #expect(
      events.values == [.playing, .interrupted(.timedOut(.stall(seconds: 4)), retryDelay: 1)])
    world.clock.advance(by: 1)
    _ = try await world.transport.transfer(2)
    #expect(!stream.hasEnded && widths() == [10])
  }

  @Test func endlessEmptyPartsEndTheConnectionWithoutAStallLimit() async throws {
    let world = Fixture()
    let stream = stream(world, options: .init(stallLimit: .infinity))
    let first = try await world.transport.transfer(1)
    first.respond(headers: multipart)
    for _ in 0..<2_000 { first.send(bytes("--frame\r\n\r\n")) }
    _ = try await events.wait(for: 1)
    guard case .interrupted(.transport(.malformedResponse, _), retryDelay: 1) = events.values[0] else {
      Issue.record("\(events.values)")
      return
    }
    #expect(first.isCancelled && !stream.hasEnded)
  }

  @Test func pausedStreamHasNoConnection() async throws {
    let world = Fixture()
    let stream = stream(world)
    let first = try await world.transport.transfer(1)

    stream.pause()
    #expect(first.isCancelled)
    #expect(stream.isPaused)
    world.clock.advance(by: 1000)
    #expect(world.transport.transfers.count == 1)
    stream.resume()

    let second = try await world.transport.transfer(2)
    second.respond(headers: multipart)
    second.send(part(width: 10) + bytes("--frame\r\n"))
    _ = try await frames.wait(for: 1)
    #expect(stream.statistics.reconnects == 0)
  }

  @Test func offlineDownloaderClosesTheConnection() async throws {
    let world = Fixture()
    let stream = stream(world)
    let first = try await world.transport.transfer(1)

    world.downloader.isOffline = true
    #expect(first.isCancelled)
    _ = try await events.wait(for: 1)
    #expect(events.values == [.interrupted(.offline, retryDelay: nil)])
    world.downloader.isOffline = false

    _ = try await world.transport.transfer(2)
    #expect(!stream.hasEnded)
  }

  @Test func returningNetworkEndsTheWait() async throws {
    let world = Fixture()
    let stream = stream(world)
    try await world.transport.transfer(1).fail(.status(404))
    _ = try await events.wait(for: 1)
    #expect(events.values == [.interrupted(.status(404), retryDelay: 60)])

    world.downloader.networkReturned()

    _ = try await world.transport.transfer(2)
    #expect(!stream.hasEnded)
  }

  @Test func wrongResponseIsReportedAndRetried() async throws {
    let world = Fixture()
    let stream = stream(world)
    let transfer = try await world.transport.transfer(1)
    transfer.respond(headers: multipart)
    transfer.send(Array(repeating: 7, count: 100_000))
    _ = try await events.wait(for: 1)

    let error = MultipartError.noBoundary(limit: MultipartParser.preambleLimit).imageError
    #expect(events.values == [.interrupted(error, retryDelay: 1)])
    #expect(transfer.isCancelled)
    #expect(!stream.hasEnded)
  }

  @Test func serverMayAskForAPause() async throws {
    let world = Fixture()
    let stream = stream(world)
    let transfer = try await world.transport.transfer(1)
    transfer.respond(status: 503, headers: ["Retry-After": "17"])
    transfer.fail(.status(503))

    _ = try await events.wait(for: 1)
    #expect(events.values == [.interrupted(.status(503), retryDelay: 17)])
    #expect(!stream.hasEnded)
  }

  @Test func damagedFrameIsReportedAndTheNextIsShown() async throws {
    let world = Fixture()
    let stream = stream(world)
    let transfer = try await world.transport.transfer(1)
    transfer.respond(headers: multipart)
    transfer.send(bytes("--frame\r\n\r\ndamaged\r\n--frame\r\n"))
    _ = try await events.wait(for: 1)
    transfer.send(bytes("\r\n") + part(width: 10) + bytes("--frame\r\n"))
    _ = try await events.wait(for: 2)

    #expect(events.values == [.frameFailed(.notAnImage(signature: bytes("damaged"))), .playing])
    #expect(stream.statistics.framesFailed == 1)
  }

  @Test func singleImageIsShownOnce() async throws {
    let world = Fixture()
    let stream = stream(world)
    try await world.transport.transfer(1).respond(with: Fixture.body)
    _ = try await events.wait(for: 2)

    #expect(events.values == [.playing, .ended])
    #expect(widths() == [64])
    #expect(stream.hasEnded)
    #expect(world.transport.running.isEmpty)
  }

  @Test func snapshotsAreRequestedAtAnInterval() async throws {
    let world = Fixture()
    let stream = stream(world, options: .init(refreshInterval: 5))
    for number in 1...3 {
      try await world.transport.transfer(number).respond(
        with: FakeDecoder.encodedImage(width: number, height: 8))
      _ = try await frames.wait(for: number)
      world.clock.advance(by: 4.9)
      #expect(world.transport.transfers.count == number)
      world.clock.advance(by: 0.1)
    }

    #expect(widths() == [1, 2, 3])
    #expect(events.values == [.playing])
    #expect(stream.statistics.reconnects == 0)
  }

  @Test func snapshotBeyondTheLimitIsRefused() async throws {
    let world = Fixture { $0.responses.bodyLimit = 100 }
    let stream = stream(world)
    let transfer = try await world.transport.transfer(1)
    transfer.respond()
    transfer.send(Array(repeating: 7, count: 101))
    _ = try await events.wait(for: 1)

    #expect(events.values == [.interrupted(.tooLarge(.body(bytes: 100)), retryDelay: 60)])
    #expect(transfer.isCancelled)
    #expect(!stream.hasEnded)
  }

  @Test func transformsAndModifierApply() async throws {
    let world = Fixture { configuration in
      configuration.requests.modifier = { request in
        var request = request
        request.headers["X-Token"] = "1"
        return request
      }
    }
    let stream = stream(world, request(transforms: [.circle()]))
    let transfer = try await world.transport.transfer(1)
    #expect(transfer.request.headers["X-Token"] == "1")
    transfer.respond(headers: multipart)
    transfer.send(part(width: 10) + bytes("--frame\r\n"))

    let image = try await frames.wait(for: 1)[0]
    #expect(!image.bitmap.isOpaque)
    #expect(!stream.hasEnded)
  }

  @Test func releasedStreamIsCancelled() async throws {
    let world = Fixture()
    var stream: LiveImageStream? = stream(world)
    let transfer = try await world.transport.transfer(1)
    #expect(stream?.hasEnded == false)

    stream = nil

    #expect(transfer.isCancelled)
    await drainMainQueue(rounds: 2)
    #expect(events.values.isEmpty)
  }

  @Test func cancelledStreamCallsNoHandler() async throws {
    let world = Fixture(decodingIsHeld: true)
    let stream = stream(world)
    let transfer = try await world.transport.transfer(1)
    transfer.respond(headers: multipart)
    transfer.send(part(width: 10) + part(width: 11))
    await world.gate.waitUntilHeld(1)

    stream.cancel()
    world.gate.open()
    await world.downloader.drain()
    await drainMainQueue(rounds: 3)

    #expect(stream.hasEnded)
    #expect(frames.values.isEmpty && events.values.isEmpty)
    #expect(world.decoder.calls.count == 1)
  }

  @Test func shutDownEndsTheStream() async throws {
    let world = Fixture()
    let running = stream(world)
    let transfer = try await world.transport.transfer(1)

    await world.downloader.shutDown()
    let late = stream(world)
    _ = try await events.wait(for: 2)

    #expect(transfer.isCancelled)
    #expect(events.values == [.failed(.shutDown), .failed(.shutDown)])
    #expect(running.hasEnded && late.hasEnded)
    #expect(world.transport.transfers.count == 1)
  }

  @Test func releasedDownloaderEndsItsStreams() async throws {
    var world: Fixture? = Fixture()
    let running = world.map { stream($0) }
    let transfer = try await world?.transport.transfer(1)

    world = nil
    _ = try await events.wait(for: 1)

    #expect(events.values == [.failed(.cancelled)])
    #expect(transfer?.isCancelled == true)
    #expect(running?.hasEnded == true)
  }

  @Test func invalidSourceFails() async throws {
    let world = Fixture()
    let stream = world.downloader.liveImages(
      "no URL", onFrame: { _ in }, onEvent: { [events] in events.add($0) })

    _ = try await events.wait(for: 1)
    #expect(events.values == [.failed(.invalidURL("no URL"))])
    #expect(stream.hasEnded)
  }
}
