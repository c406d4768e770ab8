import FoundationEssentials
import Vitrine

/// Opens a disk cache with 10,000 responses, as a starting program does. Measures the first lookup and a full scan.
enum DiskReopen {
  private static let count = 10_000

  static func measure(_ options: Options) throws -> [Figure] {
    let folder = FileManager.default.temporaryDirectory.path + "/vitrine-bench-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let identities = try (0..<count).map { RequestIdentity(try ImageRequest("http://a.test/\($0).jpg")) }
    try fill(folder, identities)

    var (reopenTimes, scanTimes) = ([Double](), [Double]())
    // The first run warms up.
    for index in 0...options.runs {
      let start = ContinuousClock.now
      let cache = DiskImageCache(directory: folder)
      guard cache.response(for: identities[index * 37 % count]) != nil else {
        throw BenchmarkError("a response that was stored is not there")
      }
      let first = ContinuousClock.now
      guard cache.measured().entries == count else { throw BenchmarkError("not all responses are there") }
      guard index > 0 else { continue }
      reopenTimes.append((first - start) / .milliseconds(1))
      scanTimes.append((ContinuousClock.now - start) / .milliseconds(1))
    }
    return [
      Figure(
        "reopen_ms", Samples(reopenTimes), label: "first lookup in a cache of 10,000 responses", unit: "ms",
        floor: .atMost(50)
      ), Figure("look_through_ms", Samples(scanTimes), label: "  scan of all of them", unit: "ms"),
    ]
  }

  private static func fill(_ folder: String, _ identities: [RequestIdentity]) throws {
    var limits = DiskImageCache.Limits()
    (limits.freeBytes, limits.freeFiles) = (0, 0)
    let cache = DiskImageCache(directory: folder, limits: limits)
    for identity in identities {
      let response = TransportResponse(
        url: URL(filePath: "/"), status: 200, headers: ["ETag": "\"1\"", "Cache-Control": "max-age=60"])
      let storedResponse = StoredResponse(
        response: response, body: [UInt8](repeating: 7, count: 1000), requested: 1, received: 1)
      guard cache.store(storedResponse, for: identity) else {
        throw BenchmarkError("\(folder) cannot be written")
      }
    }
  }
}
