import Glibc

/// The folder of a disk cache: `FOLDER/v1/ab/abcd…`, an answer a file, 256 folders so that none gets long.
///
/// Each call opens its way from the top: folders may be removed, or be replaced by another process, at any time.
struct CacheFolder {
  /// Of the layout and of the format of the files.
  static let version = "v1"
  /// What is written has such a name until it is whole.
  static let temporary = ".new-"
  /// What is being removed has such a name.
  static let removed = ".old-"

  let path: String

  /// The folder that holds the others; nil if it is not there, and is not to be made.
  func open(creating: Bool) throws(DiskImageCache.Fault) -> Descriptor? {
    // A zero byte would end the name early.
    guard !path.isEmpty, !path.utf8.contains(0) else { throw .refused(path: path, code: EINVAL) }
    do throws(SystemError) {
      let outer = try openOuter(creating: creating)
      // The owner of the outer folder may exchange what lies in it; root may in any case.
      let isForeign = ![geteuid(), 0].contains(try outer.status().st_uid)
      let inner = isForeign ? nil : try Self.folder(Self.version, in: outer, creating: creating)
      if let inner {
        let status = try inner.status()
        if status.st_uid == geteuid() {
          if status.st_mode & 0o077 != 0 { fchmod(inner.number, 0o700) }
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
      return try Descriptor(path, flags: O_RDONLY | O_DIRECTORY, followsLink: true)
    } catch {
      guard error.code == ENOENT, creating else { throw error }
    }
    let failure = createParents()
    do throws(SystemError) {
      return try Descriptor(path, flags: O_RDONLY | O_DIRECTORY, followsLink: true)
    } catch {
      throw failure ?? error
    }
  }

  /// One of the 256; nil if it is not there, and is not to be made.
  func openShard(
    _ name: ContentHash, in root: borrowing Descriptor, creating: Bool
  ) throws(DiskImageCache.Fault) -> Descriptor? {
    do throws(SystemError) {
      return try Self.folder(String(name.hex.prefix(2)), in: root, creating: creating)
    } catch {
      if error.code == ENOENT, !creating { return nil }
      throw .refused(path: path, code: error.code)
    }
  }

  private static func folder(
    _ name: String, in folder: borrowing Descriptor, creating: Bool
  ) throws(SystemError) -> Descriptor {
    do throws(SystemError) {
      return try Descriptor(name, in: folder.number, flags: O_RDONLY | O_DIRECTORY)
    } catch {
      guard error.code == ENOENT, creating else { throw error }
    }
    guard mkdirat(folder.number, name, 0o700) == 0 || errno == EEXIST else { throw .last }
    return try Descriptor(name, in: folder.number, flags: O_RDONLY | O_DIRECTORY)
  }

  /// The folder and those that it lies in, for nobody else; why one of them could not be made.
  private func createParents() -> SystemError? {
    var end = path.utf8.startIndex
    while end < path.utf8.endIndex {
      end = path.utf8[path.utf8.index(after: end)...].firstIndex(of: UInt8(ascii: "/")) ?? path.utf8.endIndex
      guard mkdir(String(path[..<end]), 0o700) == 0 || errno == EEXIST else { return .last }
    }
    return nil
  }
}
