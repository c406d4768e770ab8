import Glibc

/// Files that get their name when they are complete.
enum TemporaryFile {
  /// The prefix of the names of files that are being written.
  static let prefix = ".new-"

  /// Returns a new name for a file that is being written.
  static func uniqueName() -> String { prefix + String(UInt64.random(in: 0 ... .max), radix: 36) }

  /// Creates a file with the contents that `fill` writes. A file or folder of this name is replaced; see `publish`.
  static func write(
    _ name: String, in folder: borrowing Descriptor,
    _ fill: (borrowing Descriptor) throws(SystemError) -> Void
  ) throws(SystemError) {
    try write(in: folder, fill) { (temporary) throws(SystemError) in
      try publish(temporary, as: name, in: folder)
    }
  }

  /// Gives a complete file its name. A file or folder of this name is replaced. No program makes such a folder, but it
  /// would keep the file from being stored for ever.
  static func publish(
    _ temporary: String, as name: String, in folder: borrowing Descriptor
  ) throws(SystemError) {
    do throws(SystemError) {
      return try folder.rename(temporary, to: name)
    } catch {
      guard error.code == EISDIR else { throw error }
    }
    _ = try RemovedFolder.remove(name, in: folder)
    try folder.rename(temporary, to: name)
  }

  /// Creates a file under a temporary name. `fill` writes the contents, and `publish` gives the complete file its name.
  /// Removes the file if one of them throws.
  static func write(
    in folder: borrowing Descriptor, _ fill: (borrowing Descriptor) throws(SystemError) -> Void,
    publish: (_ temporary: String) throws(SystemError) -> Void
  ) throws(SystemError) {
    let temporary = uniqueName()
    var file = try folder.open(temporary, flags: O_WRONLY | O_CREAT | O_EXCL)
    do throws(SystemError) {
      // The lock tells a sweep that the writer is alive.
      _ = file.lock()
      try fill(file)
      // Some file systems report a failed write only when a descriptor is closed. A duplicate is closed for that: to
      // close the file would release the lock, and a sweep could remove the file before it has its name. Without a
      // duplicate that may happen, and `publish` then throws `ENOENT`.
      let isStillOpen = try file.closeDuplicate()
      if !isStillOpen { try file.close() }
      try publish(temporary)
      if isStillOpen { try? file.close() }
    } catch {
      try? folder.remove(temporary)
      throw error
    }
  }

  /// Returns true if no process is writing the file: no writer holds the lock.
  static func isAbandoned(_ name: String, in folder: borrowing Descriptor) -> Bool {
    guard let file = try? folder.open(name, flags: O_RDONLY) else { return false }
    if case .acquired = file.lock() { return true }
    return false
  }
}

/// Folders that are renamed before they are emptied, so that new files go to another folder.
enum RemovedFolder {
  /// The prefix of the names of folders that are being removed.
  static let prefix = ".old-"

  /// Returns a new name for a folder that is being removed.
  static func uniqueName() -> String { prefix + String(UInt64.random(in: 0 ... .max), radix: 36) }

  /// Removes a folder that has the name of a file. What cannot be removed is left under another name. Returns false if the
  /// name is that of a file, which stays: another process may have replaced the folder in the meantime. Throws `ENOENT` if
  /// there is nothing.
  static func remove(_ name: String, in outer: borrowing Descriptor) throws(SystemError) -> Bool {
    guard try outer.status(of: name).isFolder else { return false }
    let removed = uniqueName()
    try outer.rename(name, to: removed)
    guard (try? outer.status(of: removed))?.isFolder == false else {
      FolderSweep.remove(removed, in: outer)
      return true
    }
    do throws(SystemError) {
      try outer.link(removed, to: name)
    } catch {
      // The file system has no links, like FAT.
      if error.code != EEXIST { try outer.rename(removed, to: name) }
    }
    try? outer.remove(removed)
    return false
  }
}
