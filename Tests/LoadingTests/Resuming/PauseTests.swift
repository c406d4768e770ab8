import FoundationEssentials
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Paused loads, and suspended downloaders.
@MainActor @Suite(.timeLimit(.minutes(5))) struct PauseTests: HalfDownloads {
  @Test func pausedDownloadStopsAndResumesWithTheMissingBytes() async throws {
    let world = Fixture()
    let task = world.downloader.load(request())
    sendHalf(world.transport.transfers[0])

    task.pause()
    #expect(task.isPaused)
    #expect(world.transport.transfers[0].isCancelled)
    #expect(world.downloader.isRunning)
    #expect(world.downloader.activeDownloadCount == 0)

    task.resume()
    let second = world.transport.transfers[1]
    #expect(second.request.headers["Range"] == "bytes=6000-")
    #expect(second.request.headers["If-Range"] == "\"v1\"")
    sendRest(second)
    let response = try await task.response
    #expect(response.image.pixelWidth == 64)
    #expect(response.http?.status == 200)
    #expect(response.http?.expectedLength == 10_000)
    #expect(response.http?.headers["Content-Range"] == nil)
    #expect(task.progress == .init(received: 10_000, expected: 10_000))
  }

  @Test func pausedLoadLeavesTheQueue() {
    let world = Fixture { $0.queue.maximumActiveDownloads = 1 }
    world.downloader.load(request("a"))
    let waiting = world.downloader.load(request("b"))
    world.downloader.load(request("c"))
    waiting.pause()
    world.transport.transfers[0].respond(with: Fixture.body)
    #expect(world.transport.transfers.map { $0.request.url.lastPathComponent } == ["a", "c"])
    waiting.resume()
    world.transport.transfers[1].respond(with: Fixture.body)
    #expect(world.transport.transfers.last?.request.url.lastPathComponent == "b")
  }

  @Test func pausedTaskDoesNotStopASharedDownload() async throws {
    let world = Fixture()
    let first = world.downloader.load(request())
    let second = world.downloader.load(request())
    first.pause()
    #expect(!world.transport.transfers[0].isCancelled)
    second.cancel()
    #expect(world.transport.transfers[0].isCancelled, "only the paused task is left")
    #expect(world.downloader.isRunning)
    let third = world.downloader.load(request())
    #expect(world.transport.transfers.count == 2)
    world.transport.transfers[1].respond(with: Fixture.body)
    _ = try await third.response
    _ = try await first.response
  }

  @Test func pausedLoadCanBeCancelled() async {
    let world = Fixture()
    let task = world.downloader.load(request())
    task.pause()
    task.cancel()
    await #expect(throws: ImageError.cancelled) { try await task.response }
    #expect(!world.downloader.isRunning)
    task.resume()
    #expect(world.transport.transfers.count == 1)
  }

  @Test func pausingAFinishedOrPausedTaskDoesNothing() async throws {
    let world = Fixture()
    let task = world.downloader.load(request())
    task.pause()
    task.pause()
    task.resume()
    task.resume()
    #expect(world.transport.transfers.count == 2)
    world.transport.transfers[1].respond(with: Fixture.body)
    _ = try await task.response
    task.pause()
    #expect(!task.isPaused)
  }

  @Test func prioritySetDuringAPauseAppliesAfterIt() {
    let world = Fixture { $0.queue.maximumActiveDownloads = 1 }
    world.downloader.load(request("a"))
    world.downloader.load(request("b"))
    let paused = world.downloader.load(request("c"))
    paused.pause()
    paused.priority = .veryHigh
    paused.resume()
    world.transport.transfers[0].respond(with: Fixture.body)
    #expect(world.transport.transfers[1].request.url.lastPathComponent == "c")
  }

  @Test func pausedTaskDoesNotRaiseThePriorityOfASharedLoad() {
    let world = Fixture { $0.queue.maximumActiveDownloads = 1 }
    world.downloader.load(request("a"))
    let paused = world.downloader.load(request("b"))
    paused.pause()
    paused.priority = .veryHigh
    let joining = world.downloader.load(request("b", priority: .low))
    world.downloader.load(request("c"))

    world.transport.transfers[0].respond(with: Fixture.body)
    #expect(world.transport.transfers[1].request.url.lastPathComponent == "c")
    world.transport.transfers[1].respond(with: Fixture.body)
    #expect(world.transport.transfers[2].request.url.lastPathComponent == "b")

    joining.cancel()
    #expect(world.transport.transfers[2].isCancelled, "only the paused load is left")
  }

  @Test func resumedLoadStillWaitsForItsRetryDelay() {
    let world = Fixture { $0.retries = RetryPolicy(limit: 1, delay: 10) }
    let task = world.downloader.load(request())
    world.transport.transfers[0].fail(.transport(.connectionLost, message: "reset"))

    task.pause()
    task.resume()

    #expect(world.transport.transfers.count == 1)
    world.clock.advance(by: 10)
    #expect(world.transport.transfers.count == 2)
  }

  @Test func lateEndOfAPausedTransferDoesNotEndTheNextOne() async throws {
    let world = Fixture(endsCancelled: false)
    let task = world.downloader.load(request())
    task.pause()
    task.resume()
    world.transport.transfers[0].fail(.cancelled)
    world.transport.transfers[1].respond(with: Fixture.body)
    _ = try await task.response
  }

  // MARK: Resumable data

  @Test func pausedTimeDoesNotCountTowardTheTimeout() {
    let world = Fixture()
    let task = world.downloader.load(request())
    task.pause()
    world.clock.advance(by: 3600)
    task.resume()
    #expect(world.transport.transfers[1].request.timeouts.total == 60)
  }

  @Test func pauseRestoresTheTimeOfEarlierAttempts() {
    let world = Fixture { $0.retries = RetryPolicy(limit: 1, delay: 1) }
    let task = world.downloader.load(request())
    world.clock.advance(by: 10)
    world.transport.transfers[0].fail(.transport(.connectionLost, message: "reset"))
    world.clock.advance(by: 1)
    #expect(world.transport.transfers[1].request.timeouts.total == 50)

    task.pause()
    task.resume()

    #expect(world.transport.transfers[2].request.timeouts.total == 60)
  }

  // MARK: Suspension

  @Test("SD-D40 a suspended downloader starts no downloads until it is no longer suspended")
  func suspendedDownloaderStartsNoDownloads() {
    let world = Fixture()
    world.downloader.load(request("a"))
    world.downloader.isSuspended = true
    world.downloader.load(request("b"))
    world.transport.transfers[0].respond(with: Fixture.body)
    #expect(world.transport.transfers.count == 1)
    #expect(world.downloader.isSuspended)
    world.downloader.isSuspended = false
    #expect(world.transport.transfers.count == 2)
  }
}
