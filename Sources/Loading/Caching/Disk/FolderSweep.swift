import Glibc

/// Looks through all files of a cache, of whichever process; what goes meanwhile is not there.
enum FolderSweep {
  /// Seconds after which what is being written is given up: its process has died.
  private static let longestWriting: Int64 = 3600

  /// What there is. Removes on the way what was left behind half written or half removed.
  static func entries(_ root: borrowing Descriptor, now: Int64) -> [DiskTrim.Entry] {
    var entries: [DiskTrim.Entry] = []
    for folder in names(root) {
      if folder.hasPrefix(CacheFolder.removed) {
        remove(folder, in: root)
      } else if isShard(folder), let shard = open(folder, in: root) {
        for name in names(shard) {
          var status = stat()
          guard fstatat(shard.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
          let stored = Int64(status.st_mtim.tv_sec)
          if let name = ContentHash(hex: name[...]) {
            entries.append(
              DiskTrim.Entry(
                name: name, bytes: DiskImageCache.Limits.room(Int(status.st_size)), stored: stored,
                used: Int64(status.st_atim.tv_sec)))
          } else if name.hasPrefix(CacheFolder.temporary),
            abs(now.subtractingReportingOverflow(stored).partialValue) > longestWriting
          {
            unlinkat(shard.number, name, 0)
          }
        }
      }
    }
    return entries
  }

  /// Removes one file; whether it was there.
  static func remove(_ name: ContentHash, in root: borrowing Descriptor) -> Bool {
    guard let shard = open(String(name.hex.prefix(2)), in: root) else { return false }
    return unlinkat(shard.number, name.hex, 0) == 0
  }

  /// Removes all; how many answers there were. Each folder is put aside first, so that what is stored meanwhile is
  /// stored anew.
  static func removeAll(_ root: borrowing Descriptor) -> Int {
    var count = 0
    for folder in names(root) where isShard(folder) || folder.hasPrefix(CacheFolder.removed) {
      var aside = folder
      if isShard(folder) {
        aside = CacheFolder.removed + String(UInt64.random(in: 0 ... .max), radix: 36)
        guard renameat(root.number, folder, root.number, aside) == 0 else { continue }
      }
      count += remove(aside, in: root)
    }
    return count
  }

  /// Removes a folder and the files in it; how many of them were answers.
  @discardableResult
  private static func remove(_ folder: String, in root: borrowing Descriptor) -> Int {
    var count = 0
    if let inner = open(folder, in: root) {
      for name in names(inner)
      where unlinkat(inner.number, name, 0) == 0 && ContentHash(hex: name[...]) != nil {
        count += 1
      }
    }
    unlinkat(root.number, folder, AT_REMOVEDIR)
    return count
  }

  private static func isShard(_ name: String) -> Bool {
    name.utf8.count == 2 && name.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  private static func open(_ name: String, in root: borrowing Descriptor) -> Descriptor? {
    try? Descriptor(name, in: root.number, flags: O_RDONLY | O_DIRECTORY)
  }

  private static func names(_ folder: borrowing Descriptor) -> [String] {
    var names: [String] = []
    // A folder that cannot be read to its end has what was read of it.
    try? folder.forEachName { names.append($0) }
    return names
  }
}
