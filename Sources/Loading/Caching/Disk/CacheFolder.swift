import Glibc

/// The folder of a disk cache: one file per response at `FOLDER/v2/ab/abcd…`, in 256 subfolders so that each stays
/// short, and the key at `FOLDER/v2/key` (`CacheSecret`).
///
/// Each call opens its way from the top: folders may be removed, or be replaced by another process, at any time.
struct CacheFolder {
  /// Of the layout and of the format of the files.
  static let version = "v2"
  /// The folders of older versions of the format.
  static let olderVersions = ["v1"]
  /// What is written has such a name until it is whole.
  static let temporary = ".new-"
  /// What is being removed has such a name.
  static let removed = ".old-"

  let path: String
  let system: any DiskSystem

  /// A unique file name.
  static func temporaryName() -> String { temporary + String(UInt64.random(in: 0 ... .max), radix: 36) }

  /// The folder that holds the others; nil if it is not there, and is not to be made.
  func open(creating: Bool) throws(DiskImageCache.Fault) -> Descriptor? {
    // A zero byte would end the name early.
    guard !path.isEmpty, !path.utf8.contains(0) else { throw .refused(path: path, code: EINVAL) }
    do throws(SystemError) {
      let outer = try openOuter(creating: creating)
      // The owner of the outer folder may exchange what lies in it; root may in any case.
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
    throw .ownedBySomebodyElse(path: path)
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

  /// The folder and those that it lies in, for nobody else; why one of them could not be made.
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
