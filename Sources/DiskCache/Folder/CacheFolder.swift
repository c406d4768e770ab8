import Glibc

/// The folder of a disk cache: one file per response at `FOLDER/v2/ab/abcd…`, in 256 subfolders so that each stays
/// short, and the folder's key at `FOLDER/v2/key` (`FolderKey`).
///
/// Each method opens the path from the top, because another process may remove or replace folders at any time.
struct CacheFolder {
  /// The version of the folder layout and of the file format.
  static let version = "v2"
  /// The folders of older versions of the format.
  static let olderVersions = ["v1"]
  /// The prefix of the names of files that are being written.
  static let temporary = ".new-"
  /// The prefix of the names of folders that are being removed.
  static let removed = ".old-"

  let path: String
  let system: any DiskSystem

  /// A unique file name.
  static func temporaryName() -> String { temporary + String(UInt64.random(in: 0 ... .max), radix: 36) }

  /// Opens the folder `v2`; nil if the folder does not exist and `creating` is false. Throws if the system refuses
  /// access or another user owns the folder.
  func open(creating: Bool) throws(DiskImageCache.Fault) -> Descriptor? {
    // A zero byte would end the name early.
    guard !path.isEmpty, !path.utf8.contains(0) else { throw .refused(path: path, code: EINVAL) }
    do throws(SystemError) {
      let outer = try openOuter(creating: creating)
      // The owner of the outer folder may replace the contents. Root is accepted, because root may do so in any folder.
      let isForeign = ![geteuid(), 0].contains(try outer.status.owner)
      let inner = isForeign ? nil : try Self.folder(Self.version, in: outer, creating: creating)
      if let inner {
        let status = try inner.status
        if status.owner == geteuid() {
          if status.permissions & 0o077 != 0 { try? inner.setMode(0o700) }
          return inner
        }
      }
    } catch {
      if error.code == ENOENT, !creating { return nil }
      throw .refused(path: path, code: error.code)
    }
    throw .ownedByAnotherUser(path: path)
  }

  private func openOuter(creating: Bool) throws(SystemError) -> Descriptor {
    do throws(SystemError) {
      return try Descriptor(path, flags: O_RDONLY | O_DIRECTORY, followsLink: true, system: system)
    } catch {
      guard error.code == ENOENT, creating else { throw error }
    }
    let failure = createParents()
    do throws(SystemError) {
      return try Descriptor(path, flags: O_RDONLY | O_DIRECTORY, followsLink: true, system: system)
    } catch {
      throw failure ?? error
    }
  }

  /// Opens the subfolder (one of 256) of an entry; nil if it does not exist and `creating` is false.
  func openShard(
    of entry: DiskEntry, in root: borrowing Descriptor, creating: Bool
  ) throws(DiskImageCache.Fault) -> Descriptor? {
    do throws(SystemError) {
      return try Self.folder(entry.shard, in: root, creating: creating)
    } catch {
      if error.code == ENOENT, !creating { return nil }
      throw .refused(path: path, code: error.code)
    }
  }

  private static func folder(
    _ name: String, in folder: borrowing Descriptor, creating: Bool
  ) throws(SystemError) -> Descriptor {
    do throws(SystemError) {
      return try folder.openFolder(name)
    } catch {
      guard error.code == ENOENT, creating else { throw error }
    }
    do throws(SystemError) {
      try folder.makeFolder(name)
    } catch {
      guard error.code == EEXIST else { throw error }
    }
    return try folder.openFolder(name)
  }

  /// Creates the folder and all parents, accessible to this user only. Returns the error if one of the folders could
  /// not be created.
  private func createParents() -> SystemError? {
    var end = path.utf8.startIndex
    while end < path.utf8.endIndex {
      end = path.utf8[path.utf8.index(after: end)...].firstIndex(of: UInt8(ascii: "/")) ?? path.utf8.endIndex
      do throws(SystemError) {
        try system.makeFolder(String(path[..<end]), in: AT_FDCWD)
      } catch {
        // The call was interrupted or the folder exists already; opening it shows which.
        guard [EEXIST, EINTR].contains(error.code) else { return error }
      }
    }
    return nil
  }
}
