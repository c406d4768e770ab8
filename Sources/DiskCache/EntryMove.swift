import Glibc

/// Moves the responses of another directory to the directory of a cache.
struct EntryMove {
  /// The number of bytes that are copied at a time.
  static let chunkBytes = 64 << 10

  /// The cache that receives the responses.
  let context: CacheContext
  let oldFolder: CacheFolder

  /// Moves the responses that the new directory does not have. Removes the old directory unless it contains other files
  /// or responses that could not be moved. Returns the number of responses that were moved.
  func run() -> Int {
    var moved = 0
    do throws(DiskImageCache.Fault) {
      if let source = try oldFolder.open(creating: false) {
        guard let target = try context.open(creating: true) else { return 0 }
        moved = moveAll(from: source, to: target)
        removeEmptyFolders(in: source)
      }
      try removePixels()
      oldFolder.removeIfEmpty()
    } catch {
      // The responses of a folder that cannot be opened stay.
    }
    return moved
  }

  /// Removes the pixels of the old directory, which are made again from the responses.
  private func removePixels() throws(DiskImageCache.Fault) {
    if let root = try oldFolder.open(CacheFolder.pixelVersion, creating: false) {
      try? PixelSweep.removeAll(root)
    }
  }

  private func moveAll(from source: borrowing Descriptor, to target: borrowing Descriptor) -> Int {
    do throws(SystemError) {
      // The names of private responses depend on the key.
      try FolderKey.copy(from: source, to: target)
    } catch {
      return 0
    }
    moveTombstones(from: source, to: target)
    var moved = 0
    for entry in FolderSweep.contents(of: source, time: context.time).entries {
      do throws(SystemError) {
        if try move(entry.name, from: source, to: target) { moved += 1 }
      } catch {
        // The response stays in the old folder.
      }
    }
    return moved
  }

  /// Moves the tombstones of removed responses that the new folder does not have.
  private func moveTombstones(from source: borrowing Descriptor, to target: borrowing Descriptor) {
    do throws(SystemError) {
      let old = try source.openFolder(HiddenResponses.folderName)
      let new = try target.openFolder(HiddenResponses.folderName, creating: true)
      for name in old.names.names where !FolderSweep.isLeftover(name) {
        if try !new.contains(name) { try copy(name, from: old, to: new) }
      }
    } catch {
      // Without tombstones, the responses of a seed are shown again.
    }
  }

  /// Moves a response. Returns false if the new folder has the response already, so that the old file was removed.
  private func move(
    _ entry: ContentHash, from source: borrowing Descriptor, to target: borrowing Descriptor
  ) throws(SystemError) -> Bool {
    let name = entry.hex
    let shard = Shard.name(of: name)
    let oldShard = try source.openFolder(shard)
    let newShard = try target.openFolder(shard, creating: true)
    if try newShard.contains(name) {
      try oldShard.remove(name)
      return false
    }
    do throws(SystemError) {
      try oldShard.move(name, to: newShard)
      return true
    } catch {
      guard error.code == EXDEV else { throw error }
    }
    try copy(name, from: oldShard, to: newShard)
    // A file that cannot be removed now is removed by the next move.
    try? oldShard.remove(name)
    return true
  }

  /// Copies a file to a folder of another file system. Throws if the copy is not complete.
  private func copy(
    _ name: String, from oldShard: borrowing Descriptor, to newShard: borrowing Descriptor
  ) throws(SystemError) {
    let original = try oldShard.open(name, flags: O_RDONLY)
    let status = try original.status
    guard status.isRegular else { throw SystemError(EINVAL) }
    try TemporaryFile.write(name, in: newShard) { (file) throws(SystemError) in
      var length = 0
      while true {
        let bytes = try ResponseReader.bytes(of: original, at: length, count: Self.chunkBytes)
        try file.write(bytes)
        length += bytes.count
        if bytes.count < Self.chunkBytes { break }
      }
      guard length >= status.size else { throw SystemError(EIO) }
      // The age of a response is computed from this time; see `ResponseWriter.write`.
      try? file.setTimes(FileTimes(used: status.used, stored: status.stored))
      // The original is removed, so that a power failure must not damage the copy.
      try file.synchronize()
    }
  }

  /// Removes the subfolders without files, and the key if no subfolder is left.
  private func removeEmptyFolders(in source: borrowing Descriptor) {
    let folders = source.names
    var isEmpty = folders.isComplete
    for folder in folders.names where Shard.isName(folder) {
      do throws(SystemError) {
        try source.remove(folder, isFolder: true)
      } catch {
        isEmpty = false
      }
    }
    // Private responses that stay need the key.
    guard isEmpty else { return }
    for folder in [CacheFolder.incompleteFolder, HiddenResponses.folderName] {
      FolderSweep.remove(folder, in: source)
    }
    for name in [FolderKey.name, FetchLockTable.fileName, HeadBucket.fileName] { try? source.remove(name) }
  }
}
