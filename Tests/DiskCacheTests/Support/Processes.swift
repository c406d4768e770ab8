import Foundation
import Synchronization
import Testing
import VitrineTesting

@testable import VitrineDiskCache
@testable import VitrineLoading

/// A downloader with a cache and a transport of its own, as in a process of its own.
struct CacheProcess {
  let downloader: ImageDownloader
  let transport: FakeTransport
  let cache: DiskImageCache

  init(
    _ fixture: DiskFixture, system: (any DiskSystem)? = nil,
    _ configure: (inout ImageDownloader.Configuration) -> Void = { _ in }
  ) {
    var configuration = ImageDownloader.Configuration()
    configuration.retries = .none
    configuration.environment.clock = fixture.clock
    configuration.environment.wallClock = { fixture.wallClock.withLock { $0 } }
    configure(&configuration)
    cache = system.map { fixture.cache(on: $0) } ?? fixture.cache()
    transport = FakeTransport()
    downloader = ImageDownloader(
      configuration: configuration, transports: [transport], decoder: FakeDecoder(), cache: nil,
      dataCache: cache)
  }

  func load(_ name: String = "a.jpg", policy: ImageRequest.CachePolicy = .useCache) -> ImageTask {
    var request = ImageRequest(url: url(name))
    request.cachePolicy = policy
    return downloader.load(request)
  }

  /// True while the disk or a worker is busy, so that the test may not advance the clock.
  var isBusy: Bool { downloader.engine.isBusy }
}

extension DiskFixture {
  /// Advances the clock of all processes until `condition` is true, while nothing else is to be done.
  func advance(_ processes: [CacheProcess], until condition: () -> Bool) async throws {
    try await until {
      if condition() { return true }
      if !processes.contains(where: \.isBusy) { clock.advance(by: 0.1) }
      return false
    }
  }
}
