import FoundationEssentials
import Glibc
import VitrineDiskCache
import VitrineLoading
import VitrineTesting

/// `DiskProbe lock FOLDER` holds the fetch lock of `http://a.test/a.jpg` until it is killed, and prints a line when it
/// has the lock. `DiskProbe break FOLDER` stores beginnings of that response until it is killed, and prints the length
/// of each.
enum FetchHolder {
  /// The number of bytes of the whole body.
  static let bodyLength = 400_000

  static func run(in folder: String, breaks: Bool) async throws -> Never {
    var limits = DiskImageCache.Limits()
    (limits.freeBytes, limits.freeFiles) = (0, 0)
    let cache = DiskImageCache(directory: folder, limits: limits)
    let identity = RequestIdentity(try ImageRequest("http://a.test/a.jpg"))
    guard breaks else {
      guard case .acquired(let token, _)? = cache.fetchLock(for: identity) else { exit(1) }
      report("held")
      while true { withExtendedLifetime(token) { _ = pause() } }
    }
    for round in 0... {
      let count = 70_000 + round * 7919 % 300_000
      guard cache.storeIncomplete(beginning(count), for: identity) else { continue }
      report("\(count)")
    }
    exit(0)
  }

  private static func report(_ text: String) {
    let line = Array("\(text)\n".utf8)
    _ = write(STDOUT_FILENO, line, line.count)
  }

  /// Returns the first bytes of the response.
  private static func beginning(_ count: Int) -> StoredResponse {
    StoredResponse(
      response: TransportResponse(
        url: URL(filePath: "/"), status: 200, headers: ["ETag": "\"v1\""], expectedLength: bodyLength),
      body: (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }, requested: 0, received: 0)
  }
}
