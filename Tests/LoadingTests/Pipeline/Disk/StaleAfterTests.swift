import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// A server that does not respond in time: the stored response is delivered, and the server's response is stored when
/// it arrives.
@Suite(.timeLimit(.minutes(5)))
struct StaleAfterTests {
  private static let newer = FakeDecoder.encodedImage(width: 32, height: 32)

  private func isStaleWithoutReason(_ response: ImageResponse) -> Bool {
    if case .stale(_, nil) = response.freshness { true } else { false }
  }

  @Test func storedImageIsDeliveredOnceAndTheRequestContinues() async throws {
    let world = DiskWorld()
    world.store(age: 3600)
    let recorder = Recorder<ImageError?>()
    let task = world.downloader.load(
      request(),
      completion: { result in
        if case .failure(let error) = result { recorder.add(error) } else { recorder.add(nil) }
      })
    let transfer = try await world.transfer()
    world.world.clock.advance(by: 0.999)
    #expect(!task.isFinished)

    world.world.clock.advance(by: 0.001)
    let response = try await task.response
    #expect(isStaleWithoutReason(response))
    #expect(response.source == .disk)
    #expect(response.image.pixelWidth == 64)
    #expect(!transfer.isCancelled)
    #expect(transfer.request.headers["If-None-Match"] == "\"one\"")

    transfer.respond(headers: ["ETag": "\"two\"", "Cache-Control": "max-age=60"])
    transfer.send(Self.newer)
    transfer.finish()
    await world.downloader.drain()
    #expect(world.downloader.cachedImage(for: request())?.pixelWidth == 32, "the new image is cached")
    #expect(world.disk.responses.first?.body == Self.newer)
    #expect(try await recorder.wait(for: 1) == [nil])
    #expect(world.transport.transfers.count == 1)
  }

  @Test func revalidationInTimeIsDelivered() async throws {
    let world = DiskWorld()
    world.store(age: 3600)
    let task = world.downloader.load(request())
    let transfer = try await world.transfer()
    world.world.clock.advance(by: 0.9)
    transfer.respond(status: 304)
    transfer.finish()

    #expect(try await task.response.freshness == .revalidated)
    world.world.clock.advance(by: 10)
    await world.downloader.drain()
    #expect(world.transport.transfers.count == 1)
  }

  @Test func stalledBodyDoesNotDelayTheStaleImage() async throws {
    let world = DiskWorld()
    world.store(age: 3600)
    let task = world.downloader.load(request())
    let transfer = try await world.transfer()
    transfer.respond(expectedLength: 1000)
    transfer.send([1, 2, 3])
    world.world.clock.advance(by: 1)

    #expect(isStaleWithoutReason(try await task.response))
    world.downloader.cancelAll()
  }

  @Test func timeInTheDownloadQueueCountsTowardStaleAfter() async throws {
    let world = DiskWorld { $0.queue.maximumActiveDownloadsPerHost = 1 }
    world.store("a.jpg", age: 3600)
    world.store("b.jpg", age: 3600)
    let tasks = [world.downloader.load(request("a.jpg")), world.downloader.load(request("b.jpg"))]
    _ = try await world.transfer()
    await world.disk.waitUntilLookedUp(2)
    try await until { world.downloader.waitingDownloadCount > 0 }

    world.world.clock.advance(by: 1)
    for task in tasks { #expect(isStaleWithoutReason(try await task.response)) }
    #expect(world.transport.transfers.count == 1)
    world.downloader.cancelAll()
  }

  @Test func mustRevalidateResponseWaitsForTheServer() async throws {
    let world = DiskWorld()
    world.store(age: 3600, headers: ["Cache-Control": "max-age=60, must-revalidate", "ETag": "\"one\""])
    let task = world.downloader.load(request())
    let transfer = try await world.transfer()
    world.world.clock.advance(by: 10)
    #expect(!task.isFinished)

    transfer.respond(with: Self.newer)
    #expect(try await task.response.image.pixelWidth == 32)
  }

  @Test func infiniteStaleAfterWaitsForTheServer() async throws {
    let world = DiskWorld { $0.freshness.staleAfter = .infinity }
    world.store(age: 3600)
    let task = world.downloader.load(request())
    let transfer = try await world.transfer()
    world.world.clock.advance(by: 100)
    #expect(!task.isFinished)
    transfer.respond(with: Self.newer)
    #expect(try await task.response.image.pixelWidth == 32)
  }

  @Test(arguments: [Double.nan, 0, -1, -Double.infinity])
  func nonPositiveOrNaNStaleAfterDoesNotWait(seconds: Double) async throws {
    let world = DiskWorld { $0.freshness.staleAfter = seconds }
    world.store(age: 3600)

    let task = world.downloader.load(request())
    _ = try await world.transfer()
    world.world.clock.advance(by: 0)
    try await until { task.isFinished }

    #expect(isStaleWithoutReason(try await task.response))
    world.downloader.cancelAll()
  }

  @Test func laterLoadDoesNotWaitAgain() async throws {
    let world = DiskWorld()
    world.store(age: 3600)
    let first = world.downloader.load(request())
    _ = try await world.transfer()
    world.world.clock.advance(by: 1)
    _ = try await first.response
    world.downloader.removeAllCachedImages()

    let second = world.downloader.load(request())
    world.world.clock.advance(by: 0)
    #expect(isStaleWithoutReason(try await second.response))
    #expect(world.transport.transfers.count == 1)
    world.downloader.cancelAll()
  }

  @Test func laterFailureKeepsTheStoredResponse() async throws {
    let world = DiskWorld()
    world.store(age: 3600)
    let task = world.downloader.load(request())
    let transfer = try await world.transfer()
    world.world.clock.advance(by: 1)
    _ = try await task.response

    transfer.fail(.timedOut(.stall(seconds: 15)))
    await world.downloader.drain()
    #expect(world.disk.responses.count == 1)
    #expect(world.transport.transfers.count == 1, "no caller waits, so the request is not retried")
  }

  @Test func cancelledLoadCancelsItsTransfer() async throws {
    let world = DiskWorld()
    world.store(age: 3600)
    let task = world.downloader.load(request())
    let transfer = try await world.transfer()
    task.cancel()
    #expect(transfer.isCancelled)
    world.world.clock.advance(by: 1)
    await world.downloader.drain()
    #expect(world.transport.transfers.count == 1)
  }
}
