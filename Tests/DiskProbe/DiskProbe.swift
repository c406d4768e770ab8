import FoundationEssentials
import Glibc
import VitrineDiskCache
import VitrineLoading

/// `DiskProbe FOLDER FIRST` stores responses in a disk cache until it is killed, and prints the number and version of
/// each stored response. Versions start at FIRST and do not repeat. `DiskProbe hang` and `DiskProbe slow` are in
/// `HangingDisk`, `DiskProbe pixels` is in `PixelWriter`, `DiskProbe lock` and `DiskProbe break` in `FetchHolder`.
@main
struct DiskProbe {
  /// The number of different responses. Each has many versions.
  private static let count: UInt64 = 60

  static func main() async throws {
    if let mode = CommandLine.arguments.dropFirst().first, ["hang", "slow"].contains(mode) {
      // Ends a probe that hangs, so that its test fails.
      alarm(60)
      try await HangingDisk.run(isSlow: mode == "slow")
      exit(0)
    }
    if CommandLine.arguments.count == 4, CommandLine.arguments[1] == "pixels",
      let first = UInt64(CommandLine.arguments[3])
    {
      try PixelWriter.run(in: CommandLine.arguments[2], from: first)
    }
    if let mode = CommandLine.arguments.dropFirst().first, ["lock", "break"].contains(mode) {
      alarm(60)
      guard CommandLine.arguments.count == 3 else { exit(2) }
      try await FetchHolder.run(in: CommandLine.arguments[2], breaks: mode == "break")
    }
    guard CommandLine.arguments.count == 3, let first = UInt64(CommandLine.arguments[2]) else { exit(2) }
    var limits = DiskImageCache.Limits()
    (limits.freeBytes, limits.freeFiles) = (0, 0)
    let cache = DiskImageCache(directory: CommandLine.arguments[1], limits: limits)
    for version in first... {
      let number = (version &* 7919) % count
      var request = try ImageRequest("http://a.test/\(number).jpg")
      // Every second request is private, so that the folder has a key.
      if number % 2 == 0 { request.headers["Cookie"] = "id=\(number)" }
      guard cache.store(response(number, version), for: RequestIdentity(request)) else { continue }
      // Writes to the table of heads.
      _ = cache.head(for: RequestIdentity(request))
      let line = Array("\(number) \(version)\n".utf8)
      _ = write(STDOUT_FILENO, line, line.count)
    }
  }

  /// Returns a response whose bytes depend on the number and the version.
  private static func response(_ number: UInt64, _ version: UInt64) -> StoredResponse {
    let length = 16 + Int((number &* 31 &+ version &* 4099) % 20_000)
    var body = [number, version].flatMap { word in
      (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
    }
    body += (16..<length).map { UInt8(truncatingIfNeeded: UInt64($0) &* (version | 1) &+ number) }
    return StoredResponse(
      response: TransportResponse(url: URL(filePath: "/"), status: 200, headers: ["ETag": "\"\(version)\""]),
      body: body, requested: 1, received: 1)
  }
}
