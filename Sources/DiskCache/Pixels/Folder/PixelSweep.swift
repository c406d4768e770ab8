import Glibc
import VitrineLoading

/// Scans and empties pixel folders, including files of other processes.
enum PixelSweep {
  struct Contents {
    var packs: [PackUsage.Pack] = []
    var indexBytes = 0
    /// False if a part of the folder could not be read.
    var isComplete = true
  }

  /// Returns the packs of a folder. Removes files that a killed process has left half written, unless `isReadOnly` is
  /// true. O(packs).
  static func contents(of folder: borrowing Descriptor, isReadOnly: Bool = false) -> Contents {
    var contents = Contents()
    let names = folder.names
    contents.isComplete = names.isComplete
    for name in names.names {
      let number = PackName.number(name)
      guard number != nil || name == PixelBucket.fileName else {
        // The temporary file of an index, or a folder that had the name of the index.
        if !isReadOnly { FolderSweep.removeLeftover(name, in: folder) }
        continue
      }
      do throws(SystemError) {
        let status = try folder.status(of: name)
        if let number {
          let bytes = status.allocatedBytesWithoutHoles
          contents.packs.append(.init(number: number, size: status.size, bytes: bytes, used: status.used))
        } else {
          contents.indexBytes = status.allocatedBytesWithoutHoles
        }
      } catch {
        if error.code != ENOENT { contents.isComplete = false }
      }
    }
    return contents
  }

  // MARK: Packs

  enum Removal {
    case removed
    /// The pack did not exist.
    case missing
    /// Another process, or this one, is adding pixels to the pack.
    case locked
    case failed
  }

  /// Removes a pack. The pack is emptied first: other processes may have it open, and would keep the blocks in use.
  /// Without locks, an image that another process adds meanwhile is lost, which is a miss.
  static func remove(
    _ number: UInt32, in folder: borrowing Descriptor, evenIfLocked: Bool = false
  ) -> Removal {
    let name = PackName.name(number)
    if let file = try? folder.open(name, flags: O_RDWR) {
      if case .heldByAnother = file.lock(), !evenIfLocked { return .locked }
      try? file.truncate(to: 0)
    }
    do throws(SystemError) {
      try folder.remove(name)
      return .removed
    } catch {
      return error.code == ENOENT ? .missing : .failed
    }
  }

  /// Removes all packs that no process is adding pixels to.
  static func removePacks(in folder: borrowing Descriptor) {
    for name in folder.names.names {
      if let number = PackName.number(name) { _ = remove(number, in: folder) }
    }
  }

  // MARK: The whole folder

  /// Removes all pixels. Throws if something could not be removed.
  ///
  /// The index is emptied first, so that nothing is found any more. Then the folder is renamed, so that pixels stored
  /// meanwhile go to a new folder.
  static func removeAll(_ root: borrowing Descriptor) throws(SystemError) {
    var failure: SystemError?
    do throws(SystemError) {
      try emptyIndex(in: root)
      let removed = RemovedFolder.uniqueName()
      try root.rename(PixelFolder.packs, to: removed)
    } catch {
      if error.code != ENOENT { failure = error }
    }
    // A full disk may have no room for the longer name, but files can be removed.
    if failure != nil, removeFolder(PixelFolder.packs, in: root) { failure = nil }
    let isComplete = removeLeftovers(in: root)
    if let failure { throw failure }
    if !isComplete { throw SystemError(EAGAIN) }
  }

  private static func emptyIndex(in root: borrowing Descriptor) throws(SystemError) {
    let folder = try root.openFolder(PixelFolder.packs)
    do throws(SystemError) {
      try folder.open(PixelBucket.fileName, flags: O_WRONLY).truncate(to: 0)
    } catch {
      // The index is removed with the folder.
      if [EMFILE, ENFILE, ENOMEM].contains(error.code) { throw error }
    }
  }

  /// Removes folders that are half removed. Returns false if the folder's list could not be read.
  @discardableResult
  static func removeLeftovers(in root: borrowing Descriptor) -> Bool {
    let names = root.names
    var isComplete = names.isComplete
    for name in names.names where name.hasPrefix(RemovedFolder.prefix) {
      if !removeFolder(name, in: root) { isComplete = false }
    }
    return isComplete
  }

  /// Removes a folder with its files. Returns true if the folder is gone.
  private static func removeFolder(_ name: String, in root: borrowing Descriptor) -> Bool {
    if let folder = try? root.openFolder(name) {
      for file in folder.names.names {
        if let open = try? folder.open(file, flags: O_WRONLY) { try? open.truncate(to: 0) }
        try? folder.remove(file)
      }
    }
    do throws(SystemError) {
      try root.remove(name, isFolder: true)
      return true
    } catch {
      return error.code == ENOENT
    }
  }
}
