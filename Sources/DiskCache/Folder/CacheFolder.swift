import Glibc
import Synchronization
import VitrineLoading

/// The folder of a disk cache: one file per response at `FOLDER/v3/a/abcd…`, in 16 subfolders so that each stays
/// short, the folder's key at `FOLDER/v3/key` (`FolderKey`), heads at `FOLDER/v3/heads` (`HeadTable`), and tombstones in
/// `FOLDER/v3/gone` (`HiddenResponses`).
///
/// Each operation opens the path again, or checks that it leads to the same folder as before, because other processes may
/// remove or replace the folders.
final class CacheFolder: Sendable {
  /// The version of the folder layout and of the file format.
  static let version = "v3"
  /// The folder of pixels beside that of responses, named for the version of its layout.
  static let pixelVersion = "p1"
  /// The subfolder of incomplete responses.
  static let incompleteFolder = "incomplete"

  let path: String
  let access: FolderAccess
  /// The paths of the subfolders of `v3`, in the order of `Shard.names`.
  private let shardPaths: [String]
  /// True for a folder that is never written. The folder may belong to root.
  var isReadOnly: Bool { access.isReadOnly }
  private let system: any DiskSystem
  private let hash: @Sendable ([UInt8]) -> ContentHash
  /// The key of the folder, and the file that the key was read from.
  private let knownKey = Mutex<(file: FileIdentity, key: DigestKey)?>(nil)

  /// A folder that was opened and checked.
  private struct KnownFolder {
    let path: String
    let identity: FileIdentity
  }

  /// The folders that were checked, by name. While a path leads to the same folder of this user, the outer folder need
  /// not be checked again.
  private let knownFolders = Mutex<[String: KnownFolder]>([:])

  /// Creates the folder at `path` without access to the disk. `hash` makes file names.
  init(
    path: String, access: FolderAccess = .owner, system: any DiskSystem,
    hash: @escaping @Sendable ([UInt8]) -> ContentHash
  ) {
    self.path = path
    shardPaths = Shard.names.map { "\(path)/\(Self.version)/\($0)" }
    self.access = access
    self.system = system
    self.hash = hash
  }

  /// Returns the cache folder at another path.
  func sibling(at path: String) -> CacheFolder {
    CacheFolder(path: CacheDirectory.absolute(path), system: system, hash: hash)
  }

  /// Opens the folder `v3`, or another folder beside it; nil if the folder does not exist and `creating` is false.
  /// Throws if the system refuses access or another user owns the folder.
  func open(
    _ name: String = CacheFolder.version, creating: Bool
  ) throws(DiskImageCache.Fault) -> Descriptor? {
    if isReadOnly { return try openForReading(name) }
    if let folder = try openKnown(name) { return folder }
    // A zero byte would end the name early.
    guard !path.isEmpty, !path.utf8.contains(0) else { throw .refused(path: path, code: EINVAL) }
    do throws(SystemError) {
      let outer = try openOuter(creating: creating)
      // The owner of the outer folder may replace the contents. Root is accepted, because root may do so in any folder.
      let isForeign = ![geteuid(), 0].contains(try outer.status.owner)
      let inner = isForeign ? nil : try outer.openFolder(name, creating: creating)
      if let inner {
        let status = try inner.status
        if status.owner == geteuid() {
          if status.permissions & access.refusedPermissions != 0 {
            try? inner.setMode(0o777 & ~access.refusedPermissions)
          } else {
            let known = KnownFolder(path: "\(path)/\(name)", identity: status.identity)
            knownFolders.withLock { $0[name] = known }
          }
          return inner
        }
      }
    } catch {
      if error.code == ENOENT, !creating { return nil }
      throw .refused(path: path, code: error.code)
    }
    throw .ownedByAnotherUser(path: path)
  }

  /// Opens a folder that was checked earlier; nil if the path leads to another folder by now or to none.
  private func openKnown(_ name: String) throws(DiskImageCache.Fault) -> Descriptor? {
    guard let known = knownFolders.withLock({ $0[name] }) else { return nil }
    do throws(SystemError) {
      let folder = try Descriptor(known.path, flags: O_RDONLY | O_DIRECTORY, system: system)
      if isUnchanged(known, try folder.status) { return folder }
    } catch {
      // The folder was removed, or replaced by a file or a symbolic link, or the whole path is too long.
      if [ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG].contains(error.code) { return nil }
      throw .refused(path: path, code: error.code)
    }
    return nil
  }

  /// The folders on the path of an entry's file.
  enum PathState {
    /// The path leads through the folder `v3` that was opened and checked earlier, and through no symbolic link in it.
    case checkedFolders
    /// The folder `v3` was checked earlier, and does not contain the subfolder.
    case missingSubfolder
    /// The folders have to be opened and checked.
    case unchecked
  }

  /// Returns the state of the folders on the path of an entry's file. Opens nothing.
  func pathState(of entry: DiskEntry) -> PathState {
    guard let known = knownFolders.withLock({ $0[Self.version] }),
      let status = try? status(ofPath: known.path),
      isUnchanged(known, status)
    else { return .unchecked }
    do throws(SystemError) {
      return try self.status(ofPath: shardPath(of: entry)).isFolder ? .checkedFolders : .unchecked
    } catch {
      return error.code == ENOENT ? .missingSubfolder : .unchecked
    }
  }

  private func isUnchanged(_ known: KnownFolder, _ status: FileStatus) -> Bool {
    status.identity.isSameFile(as: known.identity) && status.owner == geteuid()
      && status.permissions & access.refusedPermissions == 0
  }

  /// Opens a folder without changing anything. The folder and the outer folder must belong to this user or to
  /// root. No other user may be able to write to the folders of a seed.
  private func openForReading(_ name: String) throws(DiskImageCache.Fault) -> Descriptor? {
    guard !path.isEmpty, !path.utf8.contains(0) else { throw .refused(path: path, code: EINVAL) }
    var refusal: DiskImageCache.Fault?
    do throws(SystemError) {
      let outer = try openOuter(creating: false)
      let inner = try outer.openFolder(name)
      for status in [try outer.status, try inner.status] {
        refusal =
          refusal
          ?? SeedAccess.refusal(
            of: status, user: geteuid(), path: path, acceptsWriters: access == .inspection)
      }
      if refusal == nil { return inner }
    } catch {
      if error.code == ENOENT { return nil }
      throw .refused(path: path, code: error.code)
    }
    throw refusal ?? .refused(path: path, code: EACCES)
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

  /// Opens the subfolder (one of 16) of an entry; nil if it does not exist and `creating` is false.
  func openShard(
    of entry: DiskEntry, in root: borrowing Descriptor, creating: Bool
  ) throws(DiskImageCache.Fault) -> Descriptor? {
    try openShard(named: entry.shard, in: root, creating: creating)
  }

  /// Opens the subfolder with this name; nil if it does not exist and `creating` is false. If `creating` is true, a link
  /// or a file of this name is replaced.
  func openShard(
    named name: String, in root: borrowing Descriptor, creating: Bool
  ) throws(DiskImageCache.Fault) -> Descriptor? {
    var refusal: DiskImageCache.Fault?
    do throws(SystemError) {
      let shard = try creating ? root.openFolderInPlaceOfFile(name) : root.openFolder(name)
      if creating, access == .keepingReaders { try admitReaders(of: root, to: shard) }
      if access == .seed { refusal = self.refusal(of: try shard.status) }
      if refusal == nil { return shard }
    } catch {
      if error.code == ENOENT, !creating { return nil }
      throw .refused(path: path, code: error.code)
    }
    throw refusal ?? .refused(path: path, code: EACCES)
  }

  /// Returns the reason not to trust a folder or a file of a seed, because another user can change it; nil if there is
  /// none.
  func refusal(of status: FileStatus) -> DiskImageCache.Fault? {
    access == .seed ? SeedAccess.refusal(of: status, user: geteuid(), path: path) : nil
  }

  /// Lets all users read a subfolder, which may be new, if they may read the folder above it.
  private func admitReaders(
    of root: borrowing Descriptor, to shard: borrowing Descriptor
  ) throws(SystemError) {
    let readers: mode_t = 0o055
    guard try root.status.permissions & readers == readers, try shard.status.permissions & readers != readers
    else { return }
    try shard.setMode(0o755)
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

  /// Removes the folder `v3`, the folder of pixels and then the outer folder, unless they contain files.
  func removeIfEmpty() {
    for folder in ["\(path)/\(CacheFolder.pixelVersion)", "\(path)/\(Self.version)", path] {
      try? Descriptor.retrying { () throws(SystemError) in
        try system.remove(folder, in: AT_FDCWD, isFolder: true)
      }
    }
  }

  // MARK: Entries

  /// Returns the entry of a request; nil if its name depends on a secret and the folder has no key yet.
  func entry(
    of identity: RequestIdentity, in root: borrowing Descriptor, creating: Bool = false
  ) throws(DiskImageCache.Fault) -> DiskEntry? {
    try entry(of: identity) { () throws(DiskImageCache.Fault) in try key(of: root, creating: creating) }
  }

  /// Returns the entry of a request without opening anything; nil if its name depends on the key and the key has to be
  /// read.
  func knownEntry(of identity: RequestIdentity) -> DiskEntry? { entry(of: identity) { currentKey } }

  /// The key that was read earlier; nil if it has to be read, for the first time or again. Opens nothing.
  var currentKey: DigestKey? {
    guard let known = knownKey.withLock({ $0 }),
      (try? status(ofPath: "\(path)/\(Self.version)/\(FolderKey.name)"))?.identity == known.file
    else { return nil }
    return known.key
  }

  private func entry<Failure: Error>(
    of identity: RequestIdentity, key: () throws(Failure) -> DigestKey?
  ) throws(Failure) -> DiskEntry? {
    var lacksKey = false
    let diskKey = try DiskKey(identity) { (bytes) throws(Failure) -> [UInt8] in
      if let key = try key() { return key.digest(bytes) }
      lacksKey = true
      return []
    }
    return lacksKey ? nil : DiskEntry(identity: identity, key: diskKey, name: hash(diskKey.bytes))
  }

  /// Returns the status of an entry's file, without opening the folders.
  func status(of entry: DiskEntry) throws(SystemError) -> FileStatus { try status(ofPath: path(of: entry)) }

  private func status(ofPath path: String) throws(SystemError) -> FileStatus {
    FileStatus(
      try Descriptor.retrying { () throws(SystemError) in try system.status(of: path, in: AT_FDCWD) })
  }

  /// Sets the times of an entry's file, without opening the folders.
  func setTimes(_ times: FileTimes, of entry: DiskEntry) throws(SystemError) {
    let path = path(of: entry)
    try Descriptor.retrying { () throws(SystemError) in
      try system.setTimes(times, of: path, in: AT_FDCWD)
    }
  }

  /// Opens an entry's file for reading, without opening the folders.
  func openFile(of entry: DiskEntry) throws(SystemError) -> Descriptor {
    try ResponseReader.open(path(of: entry), system: system)
  }

  private func shardPath(of entry: DiskEntry) -> String { shardPaths[Shard.index(of: entry.name)] }

  private func path(of entry: DiskEntry) -> String { shardPath(of: entry) + "/" + entry.name.hex }

  /// Returns the name of the file with this key.
  func name(of key: [UInt8]) -> ContentHash { hash(key) }

  /// Returns the key of the folder; nil if there is none and `creating` is false. The key is read once, and again if
  /// the file was replaced: another process may have removed the folder or replaced a damaged key.
  func key(
    of root: borrowing Descriptor, creating: Bool = false
  ) throws(DiskImageCache.Fault) -> DigestKey? {
    do throws(SystemError) {
      if let file = try FolderKey.file(in: root), let known = knownKey.withLock({ $0 }), known.file == file {
        return known.key
      }
      guard let found = try FolderKey.read(in: root, creating: creating) else { return nil }
      knownKey.withLock { $0 = found }
      return found.key
    } catch {
      // The key of a seed may be readable only by its owner. Without the key, private responses are not found.
      if isReadOnly, error.code == EACCES { return nil }
      throw .refused(path: path, code: error.code)
    }
  }
}
