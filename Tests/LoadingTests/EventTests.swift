import FoundationEssentials
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// The events that a load reports to its listeners.
@MainActor @Suite(.timeLimit(.minutes(5))) struct EventTests {
  private func words(_ event: ImageTask.Event) -> String {
    switch event {
    case .response(let response): "response \(response.status ?? 0)"
    case .progress(let progress): "progress \(progress.received)"
    case .preview(let image): "part \(image.pixelWidth)"
    case .transferred(let metrics): "transferred \(metrics.bytesReceived)"
    case .willRetry(_, let error): "retry: \(error)"
    case .paused: "paused"
    case .resumed: "resumed"
    case .finished(.success): "finished"
    case .finished(.failure(let error)): "failed: \(error)"
    }
  }

  private func descriptions(of events: AsyncStream<ImageTask.Event>) async -> [String] {
    var all: [String] = []
    for await event in events { all.append(words(event)) }
    return all
  }

  @Test func metricsContainTheTimeInTheQueue() async throws {
    let world = Fixture { $0.queue.maximumActiveDownloads = 1 }
    let first = world.downloader.load(request("http://a.test/1.jpg"))
    let second = world.downloader.load(request("http://a.test/2.jpg"))
    world.clock.advance(by: 3)
    world.transport.transfers[0].respond(with: Fixture.body)
    #expect(try await first.response.metrics?.queue == 0)

    world.clock.advance(by: 1)
    world.transport.transfers[1].respond(with: Fixture.body)

    #expect(try await second.response.metrics?.queue == 3)
  }

  @Test(
    "AF-S5 AF-S6 AF-S7 AF-S8 a load reports response, progress to the end, metrics and outcome, in this order"
  )
  func loadReportsItsEventsInOrder() async throws {
    let world = Fixture()
    let task = world.downloader.load(request())
    let reader = Recorder<String>()
    let events = task.events
    let reading = Task { for await event in events { reader.add(words(event)) } }
    let bytes = Fixture.body
    world.transport.transfers[0].respond(expectedLength: bytes.count)
    _ = try await reader.wait(for: 2)
    world.transport.transfers[0].send(Array(bytes[..<4]))
    _ = try await reader.wait(for: 3)
    world.transport.transfers[0].send(Array(bytes[4...]))
    #expect(task.progress.fraction == 1)
    _ = try await reader.wait(for: 4)
    world.transport.transfers[0].finish()
    // A cancelled reader ends, so that a stream without an end fails the test.
    await withTaskCancellationHandler {
      await reading.value
    } onCancel: {
      reading.cancel()
    }
    #expect(
      reader.values == [
        "response 200", "progress 0", "progress 4", "progress \(bytes.count)", "transferred \(bytes.count)",
        "finished",
      ])
  }

  @Test("AF-S11 pausing and resuming are reported as events") func pausingAndResumingAreReported() async {
    let world = Fixture()
    let task = world.downloader.load(request())
    let events = task.events
    task.pause()
    task.resume()
    task.cancel()
    let all = await descriptions(of: events)
    #expect(
      all.filter { !$0.hasPrefix("transferred") } == [
        "paused", "resumed", "failed: cancelled: http://a.test/a.jpg",
      ])
  }

  @Test func failedTransferReportsItsMetrics() async {
    let world = Fixture()
    let task = world.downloader.load(request())
    let events = task.events
    world.transport.transfers[0].respond(status: 404)
    world.transport.transfers[0].fail(.status(404))
    #expect(
      await descriptions(of: events) == [
        "response 404", "progress 0", "transferred 0", "failed: the server responded with 404",
      ])
  }

  @Test func listenersReceiveTheSameEventsAndALateListenerTheOutcome() async throws {
    let world = Fixture()
    let task = world.downloader.load(request())
    let (first, second) = (task.events, task.events)
    world.transport.transfers[0].respond(with: Fixture.body)
    _ = try await task.response
    #expect(await descriptions(of: first) == descriptions(of: second))
    #expect(await descriptions(of: task.events) == ["finished"])
  }

  @Test func memoryHitReportsOnlyTheOutcome() async throws {
    let world = Fixture()
    try await world.loaded(request())
    #expect(await descriptions(of: world.downloader.load(request()).events) == ["finished"])
  }

  @Test func cancelledListenerDoesNotCancelTheLoad() async throws {
    let world = Fixture()
    let task = world.downloader.load(request())
    let listening = Task { for await _ in task.events {} }
    listening.cancel()
    await listening.value
    world.transport.transfers[0].respond(with: Fixture.body)
    _ = try await task.response
  }

  @Test("SD-D17 progress is reported at most once per interval, and the last progress always")
  func progressIsReportedAtMostOncePerInterval() async {
    let world = Fixture { $0.intervals.progress = 0.5 }
    let task = world.downloader.load(request())
    let events = task.events
    let transfer = world.transport.transfers[0]
    transfer.respond(expectedLength: 100)
    var reported = [task.progress.received]
    for _ in 0..<20 {
      transfer.send([UInt8](repeating: 32, count: 5))
      if reported.last != task.progress.received { reported.append(task.progress.received) }
      world.clock.advance(by: 0.1)
    }
    transfer.finish()
    #expect(reported == [0, 5, 30, 55, 80, 100])
    #expect(await descriptions(of: events).contains("progress 100"))
  }

  @Test("SD-D17 with an interval of 0.51 s, a download of a second makes at most 4 reports")
  func downloadOfASecondMakesAtMostFourReports() async throws {
    let world = Fixture { $0.intervals.progress = 0.51 }
    let task = world.downloader.load(request())
    let transfer = world.transport.transfers[0]
    let body = FakeDecoder.encodedImage(width: 64, height: 48, count: 100)
    transfer.respond(expectedLength: 100)
    var reported = [task.progress.received]

    for start in stride(from: 0, to: 100, by: 10) {
      transfer.send(Array(body[start..<start + 10]))
      if reported.last != task.progress.received { reported.append(task.progress.received) }
      #expect(!task.isFinished)
      world.clock.advance(by: 0.1)
    }
    transfer.finish()

    _ = try await task.response
    #expect(reported == [0, 10, 70, 100])
  }
}
