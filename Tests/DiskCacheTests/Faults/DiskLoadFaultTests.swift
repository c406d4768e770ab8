import Foundation
import Glibc
import Synchronization
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineDiskCache
@testable import VitrineLoading

/// Each system call of the disk cache fails while a downloader loads an image.
@Suite(.timeLimit(.minutes(5))) struct DiskLoadFaultTests {
  /// The kinds of load, by the operations that they need on disk.
  enum Load: String, CaseIterable {
    case find, findPrivate, store, storeFirst, storeVarying, storePrivate, replace, revalidate
  }

  private static let varying: HTTPHeaders = ["Cache-Control": "max-age=60", "Vary": "X-Theme"]

  private static func request(_ load: Load) -> ImageRequest {
    var request = ImageRequest(url: url("\(load.rawValue).jpg"))
    switch load {
    case .findPrivate, .storePrivate: request.headers["Cookie"] = "session=1"
    case .storeVarying: request.headers["X-Theme"] = "dark"
    case .find, .store, .storeFirst, .replace, .revalidate: break
    }
    return request
  }

  /// Returns a folder with the stored responses that the load needs.
  private static func filled(_ load: Load) -> DiskFixture {
    let fixture = DiskFixture()
    guard load != .storeFirst else { return fixture }
    let cache = fixture.cache()
    cache.store(storedResponse(5000), for: identity(1))
    guard [.find, .findPrivate, .replace, .revalidate].contains(load) else { return fixture }
    // The response is fresh for `find` and `findPrivate`, stale for the other loads.
    let isFresh = load == .find || load == .findPrivate
    let then = fixture.wallClock.withLock { $0 } - (isFresh ? 0 : 1000)
    let stored = StoredResponse(
      response: TransportResponse(url: request(load).url, status: 200, headers: freshForAMinute),
      body: encodedImage, requested: then, received: then)
    cache.store(stored, for: request(load).identity)
    return fixture
  }

  private static func transport(_ load: Load) -> FakeTransport {
    let transport = FakeTransport()
    transport.respondToAll { transfer in
      if load == .revalidate, transfer.request.headers["If-None-Match"] != nil {
        transfer.respond(status: 304, headers: freshForAMinute)
        transfer.finish()
      } else {
        transfer.respond(with: encodedImage, load == .storeVarying ? varying : freshForAMinute)
      }
    }
    return transport
  }

  @Test(
    "an image is loaded whichever disk call fails, once or always, and no descriptor leaks",
    arguments: Load.allCases)
  func imageIsLoadedAlthoughDiskCallsFail(load: Load) async throws {
    let fixture = Self.filled(load)
    let made = try await Self.load(load, fixture, FaultySystem()).calls
    for call in FaultySystem.Call.allCases where made.contains(call) {
      for number in FaultySystem.always... {
        // Ends when the load makes fewer calls than `number`.
        guard try await Self.shows(load, call, number) || number == FaultySystem.always else { break }
      }
    }
  }

  /// Fails a call in each way. Returns false if the load does not make the call so often.
  private static func shows(_ load: Load, _ call: FaultySystem.Call, _ number: Int) async throws -> Bool {
    let faults: [FaultySystem.Fault] =
      number == 1 ? FaultySystem.Fault.all(of: call, number: 1) : [EIO, ENOSPC, EMFILE].map { .error($0) }
    for fault in faults {
      let (fixture, system) = (filled(load), FaultySystem())
      system.fail(call, number: number, with: fault)
      let note: Comment = "\(load.rawValue), \(call.rawValue) number \(number): \(fault)"

      try await Self.load(load, fixture, system, note)

      #expect(system.openCount == 0, note)
      // Another response on the same disk stays.
      if load != .storeFirst {
        #expect(fixture.cache().response(for: identity(1)) == storedResponse(5000), note)
      }
      guard system.hasFailed else { return false }
    }
    return true
  }

  /// Loads an image with a new downloader. Returns the system of its disk cache.
  @discardableResult
  private static func load(
    _ load: Load, _ fixture: DiskFixture, _ system: FaultySystem, _ note: Comment? = nil
  ) async throws -> FaultySystem {
    var configuration = ImageDownloader.Configuration()
    configuration.retries = .none
    configuration.environment.clock = fixture.clock
    configuration.environment.wallClock = { fixture.wallClock.withLock { $0 } }
    let cache = fixture.cache(on: system)
    let downloader = ImageDownloader(
      configuration: configuration, transports: [transport(load)], decoder: FakeDecoder(), cache: nil,
      dataCache: cache)
    let response = try await downloader.image(for: request(load))
    _ = await response.isStored()
    await downloader.drain()
    // The table of heads stays open as long as the cache exists.
    cache.context.heads.close()
    #expect(response.image.pixelWidth == 64, note)
    return system
  }
}
