import FoundationEssentials
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// The disk after the server has confirmed a stored response whose body is in memory.
@Suite(.timeLimit(.minutes(5))) struct DiskUpdateTests {
  private static let now = 1_700_000_000.0

  private func world(_ disk: any ImageDataCache, storing age: Double) -> Fixture {
    let stored = StoredResponse(
      response: TransportResponse(url: url(), status: 200, headers: DiskWorld.minute), body: Fixture.body,
      requested: Self.now - age, received: Self.now - age)
    _ = disk.store(stored, for: request().identity)
    return Fixture({ $0.environment.wallClock = { Self.now } }, dataCache: disk)
  }

  /// Loads the image, which its server confirms after a call of `change`. Returns true if the response was stored.
  private func confirm(
    _ world: Fixture, policy: ImageRequest.CachePolicy = .useCache, after change: () -> Void = {}
  ) async throws -> Bool {
    let task = world.downloader.load(request(policy: policy))
    let transfer = try await world.transport.transfer(1)
    change()
    transfer.respondNotModified(DiskWorld.minute)
    let response = try await task.response
    #expect(response.freshness == .revalidated && response.image.pixelWidth == 64)
    let isStored = await response.isStored()
    await world.downloader.drain()
    return isStored
  }

  @Test(arguments: [(.useCache, 3600), (.refresh, 10)] as [(ImageRequest.CachePolicy, Double)])
  func onlyTheHeadIsWritten(policy: ImageRequest.CachePolicy, age: Double) async throws {
    let disk = HeadDisk()

    #expect(try await confirm(world(disk, storing: age), policy: policy))

    #expect(disk.memory.storeCount == 1, "only the test has stored a response")
    #expect(disk.head(for: request().identity)?.response.received == Self.now)
    #expect(disk.memory.responses.map(\.body) == [Fixture.body])
  }

  @Test func responseIsStoredAgainInACacheThatDoesNotUpdateHeads() async throws {
    let disk = DigestDisk()

    #expect(try await confirm(world(disk, storing: 3600)))

    #expect(disk.memory.storeCount == 2)
    #expect(disk.memory.responses.map(\.received) == [Self.now])
    #expect(disk.memory.responses.map(\.body) == [Fixture.body])
  }

  @Test func responseThatWasRemovedMeanwhileIsStoredAgain() async throws {
    let disk = HeadDisk()

    let isStored = try await confirm(world(disk, storing: 3600)) {
      _ = disk.removeResponse(for: request().identity)
    }

    #expect(isStored && disk.memory.responses.map(\.body) == [Fixture.body])
  }

  @Test func bodyThatAnotherProcessHasStoredMeanwhileStays() async throws {
    let disk = HeadDisk()
    let other = FakeDecoder.encodedImage(width: 32, height: 32)

    let isStored = try await confirm(world(disk, storing: 3600)) {
      disk.memory.change(request().identity) { $0.body = other }
    }

    #expect(!isStored && disk.memory.storeCount == 1)
    #expect(disk.memory.responses.map(\.body) == [other])
  }
}
