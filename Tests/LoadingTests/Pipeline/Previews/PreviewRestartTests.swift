import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Previews of downloads that are paused, or break and start again.
@MainActor @Suite(.timeLimit(.minutes(5))) struct PreviewRestartTests {
  private let tag: HTTPHeaders = ["ETag": "\"v1\"", "Accept-Ranges": "bytes"]

  @Test func taskPausedDuringARestartNeverSeesASmallerPreview() async throws {
    let world = PreviewWorld { $0.retries = RetryPolicy(limit: 1) }
    let recorder = Recorder<Image>()
    let task = world.load(recorder)
    world.load(nil, .none)
    var transfer = world.begin()
    transfer.send(world.body(..<8000))
    let seen = try await recorder.wait(for: 1)
    try await world.waitUntilDecoded()
    task.pause()
    world.clock.advance(by: 1)
    transfer.send(world.body(8000..<8100))
    transfer.fail(.transport(.connectionLost, message: "reset"))
    task.resume()
    try world.advanceClock(untilStarted: 2)
    transfer = world.begin(1)
    transfer.send(world.body(..<2000))
    try await world.waitUntilDecoded()
    await drainMainQueue()
    #expect(recorder.values == seen)
    #expect(world.decoder.previewCalls.map(\.count) == [8000])
    world.clock.advance(by: 1)
    transfer.send(world.body(2000..<9000))
    _ = try await recorder.wait(for: 2)
    #expect(world.decoder.previewCalls.map(\.count) == [8000, 9000])
  }

  // MARK: Pausing and retrying

  @Test func resumedTaskContinuesPreviewsWithTheMissingBytes() async throws {
    let world = PreviewWorld()
    let recorder = Recorder<Image>()
    let task = world.load(recorder)
    var transfer = world.begin(headers: tag)
    transfer.send(world.body(..<6000))
    _ = try await recorder.wait(for: 1)
    try await world.waitUntilDecoded()
    world.clock.advance(by: 1)

    task.pause()
    task.resume()
    transfer = world.transport.transfers[1]
    transfer.respond(
      status: 206, headers: ["Content-Range": "bytes 6000-9999/10000", "ETag": "\"v1\""], expectedLength: 4000
    )
    transfer.send(world.body(6000..<8000))

    _ = try await recorder.wait(for: 2)
    #expect(world.decoder.previewCalls.map(\.count) == [6000, 8000])
    #expect(world.decoder.previewCalls.map(\.decoder) == [0, 0])
    #expect(world.decoder.previewCalls.last?.expectedLength == 10_000)
  }

  @Test func pausedTaskReceivesNoPreviewWhileOthersDo() async throws {
    let world = PreviewWorld()
    let (paused, other) = (Recorder<Image>(), Recorder<Image>())
    let task = world.load(paused)
    world.load(other)
    let transfer = world.begin()
    task.pause()
    transfer.send(world.body(..<5000))
    _ = try await other.wait(for: 1)
    try await world.waitUntilDecoded()
    #expect(task.preview == nil)
    task.resume()
    world.clock.advance(by: 1)
    transfer.send(world.body(5000..<6000))
    _ = try await paused.wait(for: 1)
    #expect(world.decoder.previewCalls.map(\.count) == [5000, 6000])
  }

  @Test("a restarted download never shows a smaller preview than before")
  func restartedDownloadNeverShowsASmallerPreview() async throws {
    let world = PreviewWorld { $0.retries = RetryPolicy(limit: 1) }
    let recorder = Recorder<Image>()
    world.load(recorder)
    var transfer = world.begin()
    transfer.send(world.body(..<6000))
    _ = try await recorder.wait(for: 1)
    try await world.waitUntilDecoded()
    transfer.fail(.transport(.connectionLost, message: "reset"))
    try world.advanceClock(untilStarted: 2)

    transfer = world.begin(1)
    transfer.send(world.body(..<5000))
    world.clock.advance(by: 1)
    transfer.send(world.body(5000..<6000))
    world.clock.advance(by: 1)
    transfer.send(world.body(6000..<7000))

    _ = try await recorder.wait(for: 2)
    #expect(world.decoder.previewCalls.map(\.count) == [6000, 7000])
    #expect(world.decoder.previewCalls.map(\.decoder) == [0, 1], "a new body has a new decoder")
  }

  @Test func changedBodyHasANewPreviewDecoder() async throws {
    let world = PreviewWorld { $0.retries = RetryPolicy(limit: 2) }
    let recorder = Recorder<Image>()
    world.load(recorder)
    world.begin(headers: tag).send(world.body(..<5000))
    _ = try await recorder.wait(for: 1)
    try await world.waitUntilDecoded()
    world.transport.transfers[0].fail(.transport(.connectionLost, message: "reset"))
    try world.advanceClock(untilStarted: 2)

    // The body has changed: the server sends it whole, and the transfer breaks before it has as many bytes.
    var second = tag
    second["ETag"] = "\"v2\""
    world.begin(1, headers: second).send(world.body(..<4500))
    world.transport.transfers[1].fail(.transport(.connectionLost, message: "reset"))
    try world.advanceClock(untilStarted: 3)
    let transfer = world.transport.transfers[2]
    #expect(transfer.request.headers["Range"] == "bytes=4500-")
    transfer.respond(
      status: 206, headers: ["Content-Range": "bytes 4500-9999/10000", "ETag": "\"v2\""], expectedLength: 5500
    )
    transfer.send(world.body(4500..<7000))

    _ = try await recorder.wait(for: 2)
    #expect(world.decoder.previewCalls.map(\.count) == [5000, 7000])
    #expect(world.decoder.previewCalls.map(\.decoder) == [0, 1])
  }
}
