import Foundation
import Glibc
import Synchronization
import VitrineTesting

@testable import VitrineDiskCache
@testable import VitrineLoading

/// A writable folder over a seed, in temporary folders that are removed at the end.
final class SeedFixture: Sendable {
  let top = DiskFixture()
  let seed = DiskFixture()

  /// Returns a new layered cache on the folders, as a process that starts now would create.
  func cache(
    system: any DiskSystem = LinuxDiskSystem(), _ configure: (inout DiskImageCache.Limits) -> Void = { _ in }
  ) -> LayeredImageCache {
    LayeredImageCache(layers: [
      top.cache(nil, hash: { ContentHash($0) }, system: system, configure), seedCache(),
    ])
  }

  /// Returns a new cache that only reads the seed.
  func seedCache(_ system: any DiskSystem = LinuxDiskSystem()) -> DiskImageCache {
    var limits = DiskImageCache.Limits()
    limits.bytes = .max
    return DiskImageCache(
      directory: seed.folder, access: .seed, limits: limits, clock: top.clock,
      wallClock: { self.top.wallClock.withLock { $0 } }, system: system, hash: { ContentHash($0) })
  }

  /// Stores responses in the seed, with the numbers as names and as seeds of the bodies.
  func fillSeed(_ numbers: Range<Int>, received: Double = 1_800_000_000.25) {
    let cache = seed.cache()
    for number in numbers { cache.store(Self.response(number, received: received), for: identity(number)) }
  }

  static func response(_ number: Int, received: Double = 1_800_000_000.25) -> StoredResponse {
    var response = storedResponse(300, seed: UInt8(truncatingIfNeeded: number))
    response.received = received
    return response
  }

  /// The paths of the seed's folders and files, sorted.
  var seedPaths: [String] {
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: seed.folder)) ?? []
    return [seed.folder] + names.sorted().map { "\(seed.folder)/\($0)" }
  }

  /// Sets the access times of the seed to a time long ago, so that each access would change them.
  func resetAccessTimes(_ paths: [String]) {
    let times = [timespec(tv_sec: 1_000_000_000, tv_nsec: 0), timespec(tv_sec: 0, tv_nsec: (1 << 30) - 2)]
    for path in paths { utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW) }
  }

  /// Returns the sizes, modes and times of files and folders.
  func listing(_ paths: [String]) -> [String] {
    paths.map { path in
      var status = stat()
      lstat(path, &status)
      let times = [status.st_atim, status.st_mtim, status.st_ctim].map { "\($0.tv_sec).\($0.tv_nsec)" }
      return "\(path) \(status.st_size) \(status.st_mode) \(times)"
    }
  }
}
