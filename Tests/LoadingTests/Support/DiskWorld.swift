import FoundationEssentials
import Synchronization
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// A downloader with a disk cache, and a wall clock that only the test advances.
struct DiskWorld {
  /// The wall clock, in seconds since 1970.
  final class Calendar: Sendable {
    private let seconds = Mutex(1_700_000_000.0)

    var now: Double { seconds.withLock { $0 } }
    func advance(by more: Double) { seconds.withLock { $0 += more } }
  }

  let disk: MemoryDataCache
  let calendar = Calendar()
  private(set) var world: Fixture

  var downloader: ImageDownloader { world.downloader }
  var transport: FakeTransport { world.transport }

  init(
    lookupsAreHeldBy gate: Gate = Gate(isOpen: true),
    removalsAreHeldBy removalGate: Gate = Gate(isOpen: true), decodingIsHeld: Bool = false,
    cache: ObservedCache? = nil,
    _ configure: @escaping (inout ImageDownloader.Configuration) -> Void = { _ in }
  ) {
    disk = MemoryDataCache(gate: gate, removalGate: removalGate)
    let calendar = calendar
    world = Fixture(
      {
        $0.environment.wallClock = { calendar.now }
        configure(&$0)
      }, decodingIsHeld: decodingIsHeld, disk: disk, cache: cache)
  }

  /// The headers of a response that is fresh for a minute.
  static let minute: HTTPHeaders = ["Cache-Control": "max-age=60", "ETag": "\"one\""]

  /// Stores a response on disk, as if received `age` seconds ago, by a redirect to `source` unless that is `nil`.
  func store(
    _ name: String = "a.jpg", age: Double = 0, headers: HTTPHeaders = minute,
    body: [UInt8] = Fixture.body, varying: [HTTPHeaders.Field] = [], from source: String? = nil,
    scheme: String = "http"
  ) {
    let then = calendar.now - age
    let storedResponse = StoredResponse(
      response: TransportResponse(
        url: URL(string: "\(scheme)://a.test/\(source ?? name)") ?? url(), status: 200, headers: headers),
      body: body,
      varying: varying,
      requested: then, received: then)
    disk.store(storedResponse, for: request(name).identity)
  }

  /// Waits for the `count`-th transfer, which starts after the disk lookup, and returns the transfer.
  func transfer(_ count: Int = 1) async throws -> FakeTransfer {
    try await transport.transfer(count)
  }
}

extension FakeTransfer {
  /// Sends a complete response with these headers.
  func respond(with body: [UInt8], _ headers: HTTPHeaders) {
    respond(headers: headers, expectedLength: body.count)
    send(body)
    finish()
  }

  /// Sends status 304.
  func respondNotModified(_ headers: HTTPHeaders = [:]) {
    respond(status: 304, headers: headers)
    finish()
  }

  /// Sends a status that is refused, and fails.
  func refuse(_ status: Int) {
    respond(status: status)
    fail(.status(status))
  }
}
