import Foundation
import Glibc
import Synchronization
import VitrineTesting

@testable import VitrineDiskCache
@testable import VitrineLoading

/// A temporary folder for disk caches, removed at the end, and clocks that the test sets.
final class DiskFixture: Sendable {
  let folder: String
  let clock = ManualLoadingClock()
  let wallClock = Mutex(1_800_000_000.0)

  init() {
    var template = Array("\(FileManager.default.temporaryDirectory.path)/vitrine-disk-XXXXXX".utf8CString)
    folder = mkdtemp(&template).map { String(cString: $0) } ?? "/nonexistent"
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Returns a new cache, as a process that starts now would create.
  func cache(
    _ folder: String? = nil, _ configure: (inout DiskImageCache.Limits) -> Void = { _ in }
  ) -> DiskImageCache {
    cache(folder, hash: { ContentHash($0) }, configure)
  }

  /// Returns a cache whose file names come from `hash`.
  func cache(
    _ folder: String? = nil, hash: @escaping @Sendable ([UInt8]) -> ContentHash,
    system: any DiskSystem = LinuxDiskSystem(),
    _ configure: (inout DiskImageCache.Limits) -> Void = { _ in }
  ) -> DiskImageCache {
    var limits = DiskImageCache.Limits()
    limits.freeBytes = 0
    limits.freeFiles = 0
    configure(&limits)
    return DiskImageCache(
      directory: folder ?? self.folder, limits: limits, clock: clock,
      wallClock: { self.wallClock.withLock { $0 } }, system: system, hash: hash)
  }

  /// Returns a cache that makes its system calls through `system`.
  func cache(
    on system: any DiskSystem, _ configure: (inout DiskImageCache.Limits) -> Void = { _ in }
  ) -> DiskImageCache {
    cache(nil, hash: { ContentHash($0) }, system: system, configure)
  }

  /// The folder of the current format version.
  var root: String { "\(folder)/\(CacheFolder.version)" }

  /// Sets the wall clock ahead.
  func advance(by seconds: Double) { wallClock.withLock { $0 += seconds } }

  /// Lets time pass on both clocks.
  func wait(_ seconds: Double) {
    clock.advance(by: seconds)
    advance(by: seconds)
  }

  /// The paths of the stored responses.
  var files: [String] {
    everything.filter { ContentHash(hex: $0.split(separator: "/").last ?? "") != nil }
  }

  /// The paths of all files below `root`, without folders.
  var everything: [String] {
    let root = root
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: root)) ?? []
    return names.map { "\(root)/\($0)" }.filter { path in
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
      return !isFolder.boolValue
    }.sorted()
  }
}

/// Returns a stored response with a body of `count` bytes, which depend on `seed`.
func storedResponse(_ count: Int = 100, seed: UInt8 = 1, headers: HTTPHeaders = ["ETag": "\"a\""])
  -> StoredResponse
{
  StoredResponse(
    response: TransportResponse(
      url: url("where-it-came-from.jpg"), status: 200, headers: headers, expectedLength: count),
    body: (0..<count).map { UInt8(truncatingIfNeeded: $0) &* 7 &+ seed },
    requested: 1_799_999_999.5, received: 1_800_000_000.25)
}

func identity(_ name: String, headers: HTTPHeaders = [:]) -> RequestIdentity {
  RequestIdentity(url: url(name), headers: headers)
}

func identity(_ number: Int) -> RequestIdentity { identity("\(number).jpg") }
