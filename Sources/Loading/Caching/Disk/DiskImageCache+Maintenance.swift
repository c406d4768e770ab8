import FoundationEssentials
import Glibc
import Synchronization

extension DiskImageCache {
  /// Returns the number of stored responses and the bytes that they take on disk. Looks through the folder. O(files).
  public func usage() -> ImageCache.DiskUsage? {
    let statistics = measured()
    return ImageCache.DiskUsage(count: statistics.entries, bytes: statistics.bytes)
  }

  /// Removes what exceeds the limits, as `trim()`.
  public func removeExpiredAnswers() { trim() }

  /// Removes all files one by one, those of other processes too; returns whether nothing is left of what was there.
  ///
  /// - Parameter progress: called about a hundred times at most, at last with all files.
  @discardableResult
  public func removeAllAnswers(progress: (_ removed: Int, _ total: Int) -> Void) -> Bool {
    let isComplete = reading { (root) throws(Fault) -> Bool in
      let entries = FolderSweep.contents(of: root, now: now).entries
      let step = max(1, entries.count / 100)
      var removed = 0
      for (index, entry) in entries.enumerated() {
        if FolderSweep.remove(entry.name, in: root) { removed += 1 }
        if (index + 1) % step == 0, index + 1 < entries.count { progress(removed, entries.count) }
      }
      // Empty folders, and what was left behind half written.
      _ = FolderSweep.removeAll(root)
      progress(removed, entries.count)
      return removed == entries.count
    }
    state.withLock {
      $0.usage = nil
      $0.uses = [:]
    }
    // Nothing is left of a folder that is not there.
    guard let isComplete else {
      progress(0, 0)
      return fault == nil
    }
    return isComplete
  }

  // MARK: Directories

  /// A cache in `defaultDirectory`; nil where there is none.
  public convenience init?(limits: Limits = Limits()) {
    guard let directory = Self.defaultDirectory else { return nil }
    self.init(directory: directory, limits: limits)
  }

  /// Moves what another directory holds to this cache (`moveCacheDirectoryFromPath:toPath:`): for a program that keeps its
  /// images in another place from now on. Returns the number of responses that were moved.
  ///
  /// A response that this cache has already stays as it is. The other directory is removed, unless it holds other things.
  /// Blocks while the disk works.
  @discardableResult
  public func moveEntries(from directory: String) -> Int {
    let files = FileManager.default
    let old = "\(directory)/\(CacheFolder.version)"
    guard !Self.isSame(directory, self.directory) else { return 0 }
    var moved = 0
    // The names of private entries are made with the key of their folder; a folder that has a key keeps it.
    let key = "\(self.directory)/\(CacheFolder.version)/key"
    if files.fileExists(atPath: "\(old)/key"), !files.fileExists(atPath: key) {
      makeFolder()
      try? files.moveItem(atPath: "\(old)/key", toPath: key)
    }
    for shard in (try? files.contentsOfDirectory(atPath: old)) ?? [] {
      let target = "\(self.directory)/\(CacheFolder.version)/\(shard)"
      for name in (try? files.contentsOfDirectory(atPath: "\(old)/\(shard)")) ?? []
      where ContentHash(hex: name[...]) != nil {
        if moved == 0 { makeFolder() }
        mkdir(target, 0o700)
        guard !files.fileExists(atPath: "\(target)/\(name)") else { continue }
        if (try? files.moveItem(atPath: "\(old)/\(shard)/\(name)", toPath: "\(target)/\(name)")) != nil {
          moved += 1
        }
      }
    }
    // Only what was a cache; a folder with other things in it cannot be removed by `rmdir`.
    let isEmptied = ((try? files.subpathsOfDirectory(atPath: old)) ?? []).allSatisfy { path in
      ContentHash(hex: (path.split(separator: "/").last ?? "")) == nil
        || files.fileExists(atPath: "\(self.directory)/\(CacheFolder.version)/\(path)")
    }
    if isEmptied { try? files.removeItem(atPath: old) }
    rmdir(directory)
    state.withLock { $0.usage = nil }
    return moved
  }

  private func makeFolder() {
    try? FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    mkdir("\(directory)/\(CacheFolder.version)", 0o700)
  }

  private static func isSame(_ a: String, _ b: String) -> Bool { realDirectory(a) == realDirectory(b) }

  /// The path without links, as far as it exists.
  private static func realDirectory(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  // MARK: One instance for a directory

  private final class Weak: Sendable {
    private let cache: Mutex<Reference>
    init(_ cache: DiskImageCache) { self.cache = Mutex(Reference(cache)) }
    var value: DiskImageCache? { cache.withLock { $0.cache } }
  }

  private struct Reference {
    weak var cache: DiskImageCache?
    init(_ cache: DiskImageCache) { self.cache = cache }
  }

  private static let instances = Mutex<[String: Weak]>([:])

  /// Returns the cache of a directory: the same instance as long as there is one (YYCache's `initWithPath:`).
  ///
  /// - Parameter limits: those of a new instance; one that exists keeps its own.
  public static func instance(directory: String, limits: Limits = Limits()) -> DiskImageCache {
    let new = DiskImageCache(directory: directory, limits: limits)
    let key = realDirectory(new.directory).trimmingSlashes
    return instances.withLock { instances in
      if let known = instances[key]?.value { return known }
      instances = instances.filter { $0.value.value != nil }
      instances[key] = Weak(new)
      return new
    }
  }
}

extension String {
  /// Without slashes at its end.
  fileprivate var trimmingSlashes: String {
    var text = self[...]
    while text.count > 1, text.last == "/" { text.removeLast() }
    return String(text)
  }
}
