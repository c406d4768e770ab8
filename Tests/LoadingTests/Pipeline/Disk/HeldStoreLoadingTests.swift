import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Loads of images whose bodies are not on disk yet, because slots are loading images.
@Suite(.timeLimit(.minutes(5))) struct HeldStoreLoadingTests {
  private let world = DiskWorld()
  private var disk: MemoryDataCache { world.disk }
  private var transport: FakeTransport { world.transport }
  private var downloader: ImageDownloader { world.downloader }

  /// Loads an image for a slot while another slot waits for its own image.
  private func loadBesideWaitingSlot() async throws -> (response: ImageResponse, other: ImageTask) {
    let other = downloader.load(request("other.jpg"), isForSlot: true)
    _ = try await transport.transfer(1)
    let task = downloader.load(request(), isForSlot: true)
    try await transport.transfer(2).respond(with: Fixture.body, DiskWorld.minute)
    return (try await task.response, other)
  }

  @Test func imageWhoseBodyWaitsIsNotDownloadedAgain() async throws {
    let (_, other) = try await loadBesideWaitingSlot()
    #expect(disk.storeCount == 0)
    world.world.cache.removeAllImages()
    let again = try await downloader.load(request(target: DecodeTarget(width: 8, height: 8))).response
    #expect(again.source == .disk)
    #expect(transport.transfers.count == 2)
    #expect(disk.storeCount == 0, "the body still waits for the other slot")

    other.cancel()
    await downloader.drain()
    #expect(disk.storeCount == 1)
  }

  @Test(.enabled("a file descriptor is free", { SocketBuffer(copying: [1]) != nil }))
  func bodyThatIsLostIsDownloadedAgain() async throws {
    let other = downloader.load(request("other.jpg"), isForSlot: true)
    _ = try await transport.transfer(1)
    let task = downloader.load(request(), isForSlot: true)
    let body = FakeDecoder.encodedImage(width: 64, height: 48, count: HeldResponse.smallestMovedBody)
    try await transport.transfer(2).respond(with: body, DiskWorld.minute)
    let first = try await task.response
    let held = downloader.engine.diskWriter.heldResponse(for: request().identity)
    guard case .socket(let buffer)? = held?.body else { return #expect(Bool(false), "not in a socket") }
    try #require(buffer.takeByte())
    world.world.cache.removeAllImages()

    let again = downloader.load(request(target: DecodeTarget(width: 8, height: 8)))
    try await transport.transfer(3).respond(with: Fixture.body, DiskWorld.minute)
    #expect(try await again.response.source == .network)

    other.cancel()
    await downloader.drain()
    #expect(await !first.isStored())
    #expect(disk.responses.map(\.body) == [Fixture.body])
  }

  @Test func callerWhoWaitsForTheDiskWaitsForASecondAtMost() async throws {
    let (response, other) = try await loadBesideWaitingSlot()
    world.world.clock.advance(by: SlotHold.longestWait)
    #expect(await response.isStored())
    #expect(disk.storeCount == 1)
    other.cancel()
    await downloader.drain()
  }

  @Test func removedImageIsNotWrittenLater() async throws {
    let (response, other) = try await loadBesideWaitingSlot()
    downloader.removeCachedData(for: request(), completion: nil)
    _ = await response.isStored()
    other.cancel()
    await downloader.drain()
    #expect(disk.responses.isEmpty)
    #expect(disk.storeCount == 0)
  }

  @Test func endOfTheProgramWritesBodiesThatWait() async throws {
    let (_, other) = try await loadBesideWaitingSlot()
    downloader.finishWriting(within: 60)
    #expect(disk.storeCount == 1)
    other.cancel()
    await downloader.drain()
  }
}
