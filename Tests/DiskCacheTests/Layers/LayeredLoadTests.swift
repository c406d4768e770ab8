import Synchronization
import Testing
import VitrineTesting

@testable import VitrineDiskCache
@testable import VitrineLoading

/// A downloader whose disk cache has a seed.
@Suite(.timeLimit(.minutes(5))) struct LayeredLoadTests {
  let fixture = SeedFixture()
  private let transport = FakeTransport()

  private func downloader(
    _ cache: any ImageDataCache, transport: FakeTransport? = nil
  ) -> ImageDownloader {
    var configuration = ImageDownloader.Configuration()
    configuration.retries = .none
    configuration.environment.clock = fixture.top.clock
    configuration.environment.wallClock = { [fixture] in fixture.top.wallClock.withLock { $0 } }
    return ImageDownloader(
      configuration: configuration, transports: [transport ?? self.transport], decoder: FakeDecoder(),
      cache: nil,
      dataCache: cache)
  }

  /// Stores an image that is fresh for a minute in the seed.
  private func fillSeed() async throws {
    transport.respondToAll { $0.respond(with: encodedImage, freshForAMinute) }
    let response = try await downloader(fixture.seed.cache()).image(for: "http://a.test/a.jpg")
    #expect(await response.isStored())
  }

  @Test func freshImageOfASeedNeedsNoRequest() async throws {
    try await fillSeed()
    let downloader = downloader(fixture.cache())

    let response = try await downloader.image(for: "http://a.test/a.jpg")

    #expect(response.source == .disk && response.freshness == .fresh)
    #expect(fixture.top.files.isEmpty)
    #expect(await downloader.removeCachedData(for: "http://a.test/a.jpg"))
    #expect(try await downloader.image(for: "http://a.test/a.jpg").source == .network)
  }

  @Test func confirmedImageOfASeedIsStoredInTheTopLayer() async throws {
    try await fillSeed()
    fixture.top.advance(by: 3600)
    let server = FakeTransport()
    server.respondToAll { transfer in
      transfer.respond(status: 304, headers: freshForAMinute)
      transfer.finish()
    }
    let before = fixture.seed.files
    let downloader = downloader(fixture.cache(), transport: server)

    let response = try await downloader.image(for: "http://a.test/a.jpg")

    #expect(response.freshness == .revalidated)
    #expect(await response.isStored())
    #expect(fixture.top.files.count == 1 && fixture.seed.files == before)
    #expect(try await self.downloader(fixture.cache()).image(for: "http://a.test/a.jpg").freshness == .fresh)
  }
}
