import Glibc
import VitrineLoading

/// Scans and empties cache folders, including files of other processes. Files that are deleted during a scan are
/// skipped.
enum FolderSweep {
  struct Contents {
    var entries: [DiskTrim.Entry] = []
    /// The bytes of files that processes are writing now.
    var unfinishedBytes = 0
    /// False if a part of the folder could not be read, so that the contents are incomplete.
    var isComplete = true

    /// The bytes of all files.
    var bytes: Int { entries.bytes(with: unfinishedBytes) }
  }

  /// The age in seconds at which a file that is being written is removed: its process has stopped, or it has died on a
  /// file system without locks.
  private static let maximumWriteSeconds: Int64 = 3600

  /// Returns the contents of a cache folder. Removes abandoned files that are half written, and folders that are half
  /// removed, unless `isReadOnly` is true.
  static func contents(of root: borrowing Descriptor, time: Int64, isReadOnly: Bool = false) -> Contents {
    var contents = Contents()
    let folders = root.names
    contents.isComplete = folders.isComplete
    for folder in folders.names {
      if folder.hasPrefix(RemovedFolder.prefix) {
        if !isReadOnly { remove(folder, in: root) }
      } else if folder.hasPrefix(TemporaryFile.prefix) {
        // The temporary file of a key or of a table of heads.
        if !isReadOnly { count(unfinished: folder, in: root, time, &contents) }
      } else if Shard.isName(folder) {
        do throws(SystemError) {
          try add(try root.openFolder(folder), time, isReadOnly, &contents)
        } catch {
          if ![ENOENT, ELOOP, ENOTDIR].contains(error.code) { contents.isComplete = false }
        }
      }
    }
    return contents
  }

  private static func add(
    _ shard: borrowing Descriptor, _ time: Int64, _ isReadOnly: Bool, _ contents: inout Contents
  ) throws(SystemError) {
    let files = shard.names
    if !files.isComplete { contents.isComplete = false }
    for name in files.names {
      if name.hasPrefix(TemporaryFile.prefix) {
        if !isReadOnly { count(unfinished: name, in: shard, time, &contents) }
      } else if name.hasPrefix(RemovedFolder.prefix) {
        if !isReadOnly { remove(name, in: shard) }
      } else if let hash = ContentHash(hex: name[...]) {
        do throws(SystemError) {
          let status = try shard.status(of: name)
          contents.entries.append(
            DiskTrim.Entry(
              name: hash, bytes: status.allocatedBytes, stored: status.stored, used: status.used))
        } catch {
          if error.code != ENOENT { contents.isComplete = false }
        }
      }
    }
  }

  // MARK: Leftovers

  /// True for the name of a file that is being written, or of a folder that is being removed.
  static func isLeftover(_ name: String) -> Bool {
    name.hasPrefix(TemporaryFile.prefix) || name.hasPrefix(RemovedFolder.prefix)
  }

  /// Removes a file that a killed process has left half written, and a folder that is half removed. Leaves others.
  static func removeLeftover(_ name: String, in folder: borrowing Descriptor) {
    if name.hasPrefix(RemovedFolder.prefix) {
      remove(name, in: folder)
    } else if name.hasPrefix(TemporaryFile.prefix), TemporaryFile.isAbandoned(name, in: folder) {
      try? folder.remove(name)
    }
  }

  /// Counts a file that is being written, or removes the file if the writer has died.
  private static func count(
    unfinished name: String, in folder: borrowing Descriptor, _ time: Int64, _ contents: inout Contents
  ) {
    guard let status = try? folder.status(of: name), status.isRegular else { return }
    if abs(time - status.stored) > maximumWriteSeconds || TemporaryFile.isAbandoned(name, in: folder) {
      try? folder.remove(name)
    } else {
      contents.unfinishedBytes = contents.unfinishedBytes.addingSaturated(status.allocatedBytes)
    }
  }

  // MARK: Removing

  /// The result of removing a file.
  enum Removal {
    case removed
    /// The file did not exist: another thread or process has removed it.
    case missing
    case failed
  }

  static func remove(_ name: ContentHash, in root: borrowing Descriptor) -> Removal {
    do throws(SystemError) {
      try root.openFolder(Shard.name(of: name)).remove(name.hex)
      return .removed
    } catch {
      return error.code == ENOENT ? .missing : .failed
    }
  }

  /// Removes all responses and returns their number, and false if the list of subfolders could not be read. Each
  /// subfolder is renamed before it is emptied, if the system allows, so that a response stored meanwhile goes to a new
  /// subfolder.
  static func removeAll(_ root: borrowing Descriptor) -> (count: Int, isComplete: Bool) {
    var count = 0
    let folders = root.names
    if folders.names.contains(CacheFolder.incompleteFolder) { remove(CacheFolder.incompleteFolder, in: root) }
    for folder in folders.names where Shard.isName(folder) || folder.hasPrefix(RemovedFolder.prefix) {
      var removedName = folder
      if Shard.isName(folder) {
        removedName = RemovedFolder.uniqueName()
        do throws(SystemError) {
          try root.rename(folder, to: removedName)
        } catch {
          guard error.code != ENOENT else { continue }
          // A full disk may have no room for the longer name, but files can be removed.
          removedName = folder
        }
      }
      count += remove(removedName, in: root)
    }
    HeadTable.remove(in: root)
    return (count, folders.isComplete)
  }

  /// Removes all responses one by one, and then all incomplete ones. Returns true if none of those that existed at the
  /// start is left.
  ///
  /// - Parameter progress: Called fewer than 200 times with the number of responses removed so far and the total.
  static func removeAll(
    _ root: borrowing Descriptor, time: Int64, progress: (_ removed: Int, _ total: Int) -> Void
  ) -> Bool {
    let contents = contents(of: root, time: time)
    let entries = contents.entries
    let incomplete = incompleteResponses(in: root)
    let step = max(1, entries.count / 100)
    var removed = 0
    for (index, entry) in entries.enumerated() {
      if remove(entry.name, in: root) != .failed { removed += 1 }
      if (index + 1) % step == 0, index + 1 < entries.count { progress(removed, entries.count) }
    }
    // Removes empty folders, half-written files and incomplete responses.
    _ = removeAll(root)
    progress(removed, entries.count)
    guard let incomplete, let left = incompleteResponses(in: root) else { return false }
    return removed == entries.count && contents.isComplete && left.isDisjoint(with: incomplete)
  }

  /// The names in the folder of incomplete responses; nil if some of them could not be read.
  private static func incompleteResponses(in root: borrowing Descriptor) -> Set<String>? {
    do throws(SystemError) {
      let names = try root.openFolder(CacheFolder.incompleteFolder).names
      return names.isComplete ? Set(names.names) : nil
    } catch {
      // The folder does not exist, or is no folder.
      return [ENOENT, ENOTDIR, ELOOP].contains(error.code) ? [] : nil
    }
  }

  /// Removes the folders of older versions of the format beside `root`. Other files stay.
  static func removeOlderVersions(beside root: borrowing Descriptor) {
    guard let outer = try? root.openFolder("..") else { return }
    for version in OlderVersions.names {
      guard let old = try? outer.openFolder(version), let status = try? old.status, status.owner == geteuid()
      else { continue }
      for folder in old.names.names where OlderVersions.isCacheFolder(folder) { remove(folder, in: old) }
      for file in OlderVersions.files { try? old.remove(file) }
      try? outer.remove(version, isFolder: true)
    }
  }

  /// Removes a folder and the contained files, but no folders in the folder. Returns the number of responses among the
  /// files.
  @discardableResult
  static func remove(_ folder: String, in root: borrowing Descriptor) -> Int {
    var count = 0
    if let inner = try? root.openFolder(folder) {
      for name in inner.names.names {
        do throws(SystemError) {
          try inner.remove(name)
          if ContentHash(hex: name[...]) != nil { count += 1 }
        } catch {
          // A later sweep tries again.
        }
      }
    }
    try? root.remove(folder, isFolder: true)
    return count
  }
}
