import FoundationEssentials
import Glibc
import Synchronization
public import VitrineLoading

extension DiskImageCache {
  /// Returns the number of stored responses and their size on disk. Scans the folder: O(files).
  public func usage() -> ImageCache.DiskUsage? {
    let statistics = measured()
    return ImageCache.DiskUsage(count: statistics.entries, bytes: statistics.bytes)
  }

  /// Removes the responses that exceed the limits, as `trim()` does.
  public func removeExpiredResponses() { trim() }

  /// Removes all files one by one, including files of other processes. Returns true if none of the files that existed
  /// at the start is left.
  ///
  /// - Parameter progress: Receives the number of files removed so far and the total. Called fewer than 200 times, the
  ///   last time after the last file.
  @discardableResult
  public func removeAllResponses(progress: (_ removed: Int, _ total: Int) -> Void) -> Bool {
    let isComplete = reading { (root) throws(Fault) -> Bool in
      let entries = FolderSweep.contents(of: root, now: now).entries
      let step = max(1, entries.count / 100)
      var removed = 0
      for (index, entry) in entries.enumerated() {
        if FolderSweep.remove(entry.name, in: root) { removed += 1 }
        if (index + 1) % step == 0, index + 1 < entries.count { progress(removed, entries.count) }
      }
      // Removes empty folders and half-written files.
      _ = FolderSweep.removeAll(root)
      progress(removed, entries.count)
      return removed == entries.count
    }
    state.withLock {
      $0.usage = nil
      $0.uses = [:]
    }
    // A folder that does not exist is empty.
    guard let isComplete else {
      progress(0, 0)
      return fault == nil
    }
    return isComplete
  }

  // MARK: Directories

  /// Creates a cache in `defaultDirectory`; nil if there is no default directory.
  public convenience init?(limits: Limits = Limits()) {
    guard let directory = Self.defaultDirectory else { return nil }
    self.init(directory: directory, limits: limits)
  }

  /// Moves the responses of another directory to this cache, for an application that changes the location of the cache
  /// (SDWebImage's `moveCacheDirectoryFromPath:toPath:`). Returns the number of responses that were moved.
  ///
  /// Responses that this cache has already stay unchanged. The other directory is removed unless it contains other
  /// files. Blocks while the disk works.
  @discardableResult
  public func moveEntries(from directory: String) -> Int {
    let files = FileManager.default
    let old = "\(directory)/\(CacheFolder.version)"
    guard !Self.isSame(directory, self.directory) else { return 0 }
    var moved = 0
    // The names of private entries depend on the folder's key. If this folder has a key already, that key stays.
    let key = "\(self.directory)/\(CacheFolder.version)/\(FolderKey.name)"
    if files.fileExists(atPath: "\(old)/\(FolderKey.name)"), !files.fileExists(atPath: key) {
      makeFolder()
      try? files.moveItem(atPath: "\(old)/\(FolderKey.name)", toPath: key)
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
    // Checks that only files of a cache are left: `rmdir` cannot remove a folder that contains other files.
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

  /// The path with symbolic links resolved, as far as the path exists.
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

  /// Returns the cache of a directory: the existing instance if there is one, otherwise a new instance (YYCache's
  /// `initWithPath:`).
  ///
  /// `limits` are the limits of a new instance. An existing instance keeps its limits.
  public static func instance(directory: String, limits: Limits = Limits()) -> DiskImageCache {
    let new = DiskImageCache(directory: directory, limits: limits)
    let key = realDirectory(new.directory).trimmingSlashes
    return instances.withLock { instances in
      if let existing = instances[key]?.value { return existing }
      instances = instances.filter { $0.value.value != nil }
      instances[key] = Weak(new)
      return new
    }
  }
}

extension String {
  /// The text without trailing slashes.
  fileprivate var trimmingSlashes: String {
    var text = self[...]
    while text.count > 1, text.last == "/" { text.removeLast() }
    return String(text)
  }
}
