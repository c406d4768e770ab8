import Glibc
import Synchronization
import VitrineConcurrency
import VitrineLoading

/// The beginnings of responses whose downloads broke, one file each at `FOLDER/v3/incomplete/abcd…`.
///
/// The files have the format of complete responses (`ResponseFile`), with hashes of all contents and another key, so
/// that neither is ever taken for the other. The names in the folder are read once, so that a fetch costs no access to
/// the disk while there are no such files.
final class IncompleteStore: Sendable {
  private let context: CacheContext
  /// The names of the files as far as known; nil until the folder is read.
  private let known = Mutex<Set<ContentHash>?>(nil)

  init(context: CacheContext) { self.context = context }

  // MARK: Reading

  /// Returns an incomplete response; nil if there is none. A damaged file or one that is too old is removed.
  ///
  /// - Parameter reserve: Called with the number of bytes of the body before the body is read.
  func response(for identity: RequestIdentity, reserving reserve: (Int) -> Void) -> StoredResponse? {
    let found = withFile(of: identity) {
      (entry, folder, root) throws(DiskImageCache.Fault) -> StoredResponse? in
      switch read(entry, in: folder, reserve) {
      case .response(var response, let times):
        guard !trim.isTooOld(times.stored) else {
          remove(entry.name, in: folder)
          return nil
        }
        if !response.varying.isEmpty { response.varyingKey = try context.folder.key(of: root) }
        return response
      case .damaged:
        remove(entry.name, in: folder)
        return nil
      case .notFound:
        forget(entry.name)
        return nil
      case .failed: return nil
      }
    }
    return found ?? nil
  }

  /// True if there is a file for a request, which may be damaged or too old.
  func contains(_ identity: RequestIdentity) -> Bool { withFile(of: identity) { _, _, _ in true } ?? false }

  private func read(
    _ entry: DiskEntry, in folder: borrowing Descriptor, _ reserve: (Int) -> Void
  ) -> ResponseReader.Result {
    ResponseReader.readTwiceIfDamaged(
      entry, in: folder, withBody: true, maximumBodyBytes: trim.budget, reserving: reserve)
  }

  // MARK: Removing

  /// Removes an incomplete response, if there is one.
  func remove(_ identity: RequestIdentity) {
    withFile(of: identity) { (entry, folder, _) throws(DiskImageCache.Fault) in
      remove(entry.name, in: folder)
    }
  }

  private func remove(_ name: ContentHash, in folder: borrowing Descriptor) {
    try? folder.remove(name.hex)
    forget(name)
  }

  private func forget(_ name: ContentHash) { known.withLock { _ = $0?.remove(name) } }

  /// Calls `body` if there may be a file for a request.
  private func withFile<Result>(
    of identity: RequestIdentity,
    _ body: (DiskEntry, borrowing Descriptor, borrowing Descriptor) throws(DiskImageCache.Fault) -> Result
  ) -> Result? {
    if known.withLock({ $0?.isEmpty }) == true { return nil }
    do throws(DiskImageCache.Fault) {
      guard let root = try context.open(creating: false) else { return nil }
      let names = names(in: root)
      guard !names.isEmpty, let entry = try context.folder.entry(of: identity, in: root),
        names.contains(entry.name), let folder = try? root.openFolder(CacheFolder.incompleteFolder)
      else { return nil }
      return try body(entry.ofIncompleteResponse, folder, root)
    } catch {
      // Lookups and stores report the faults of the folder.
      return nil
    }
  }

  // MARK: Storing

  /// Stores an incomplete response. Returns false if it is too large, or if the disk has no room or fails.
  func store(_ response: StoredResponse, for identity: RequestIdentity) -> Bool {
    let now = context.clock.now
    guard FileStatus.allocatedBytes(for: response.body.count) <= trim.budget,
      !context.state.withLock({ $0.pause.isPaused(at: now) })
    else { return false }
    do throws(DiskImageCache.Fault) {
      return try write(response, for: identity)
    } catch {
      // The folder may be removed at any time by another process; the beginning is then not kept.
      if !error.isMissing { context.writeFailed(error) }
      return false
    }
  }

  private func write(
    _ response: StoredResponse, for identity: RequestIdentity
  ) throws(DiskImageCache.Fault) -> Bool {
    guard let root = try context.open(creating: true),
      let entry = try context.folder.entry(of: identity, in: root, creating: true)?.ofIncompleteResponse
    else { return false }
    let varying =
      response.varying.isEmpty
      ? [] : try context.folder.key(of: root, creating: true)?.digested(response.varying) ?? []
    guard
      let start = ResponseFile.start(
        response, key: entry.key, requestURL: identity.fullURL, varying: varying),
      FileStatus.allocatedBytes(for: start.count + response.body.count) <= trim.budget
    else { return false }
    do throws(SystemError) {
      let folder = try root.openFolderInPlaceOfFile(CacheFolder.incompleteFolder)
      guard makeRoom(for: start.count + response.body.count, entry.name, in: folder) else { return false }
      _ = try ResponseWriter.write(start, response.body, entry.name, in: folder, time: context.time)
      known.withLock { _ = $0?.insert(entry.name) }
      return true
    } catch {
      throw .refused(path: context.folder.path, code: error.code)
    }
  }

  /// Removes old responses. Returns false if a new response would take free space that is left to other programs.
  private func makeRoom(for length: Int, _ name: ContentHash, in folder: borrowing Descriptor) -> Bool {
    let bytes = FileStatus.allocatedBytes(for: length)
    let entries = contents(of: folder).entries
    let victims = trim.victims(of: entries, toFit: bytes, replacing: name)
    for victim in victims { remove(victim.name, in: folder) }
    guard let space = folder.space else { return true }
    let replaced = entries.first { $0.name == name }?.bytes ?? 0
    let growth = DiskTrim.Growth(bytes: bytes.subtractingSaturated(replaced), files: 1)
    return !DiskFloor(limits: context.limits, space: space).missing(after: growth).isAny
  }

  // MARK: Folder

  private var trim: IncompleteTrim { IncompleteTrim(limits: context.limits, time: context.time) }

  /// Returns the names of the files. Reads the folder at the first call, and removes old files and files that are half
  /// written.
  private func names(in root: borrowing Descriptor) -> Set<ContentHash> {
    if let names = known.withLock({ $0 }) { return names }
    var names: Set<ContentHash> = []
    do throws(SystemError) {
      let folder = try root.openFolder(CacheFolder.incompleteFolder)
      let (entries, isComplete) = contents(of: folder)
      let victims = Set(trim.victims(of: entries).map(\.name))
      for name in victims { try? folder.remove(name.hex) }
      names = Set(entries.map(\.name)).subtracting(victims)
      if !isComplete { return names }
    } catch {
      // A folder that cannot be read now may be readable later.
      if error.code != ENOENT { return [] }
    }
    // Another thread may have stored a response meanwhile.
    return known.withLock { known in
      let all = names.union(known ?? [])
      known = all
      return all
    }
  }

  /// Returns the number of incomplete responses and the bytes that they take on disk. Changes nothing. O(files).
  func usage() -> ImageCache.DiskUsage {
    let entries = context.reading { (root) throws(DiskImageCache.Fault) -> [DiskTrim.Entry] in
      do throws(SystemError) {
        let folder = try root.openFolder(CacheFolder.incompleteFolder)
        return contents(of: folder, isReadOnly: true).entries
      } catch {
        if error.code == ENOENT { return [] }
        throw .refused(path: context.folder.path, code: error.code)
      }
    }
    return ImageCache.DiskUsage(count: entries?.count ?? 0, bytes: entries?.bytes() ?? 0)
  }

  /// Returns the files of the folder, and false if some could not be read. Removes files whose writers have died,
  /// unless `isReadOnly` is true.
  private func contents(
    of folder: borrowing Descriptor, isReadOnly: Bool = false
  ) -> (entries: [DiskTrim.Entry], isComplete: Bool) {
    var entries: [DiskTrim.Entry] = []
    let names = folder.names
    var isComplete = names.isComplete
    for name in names.names {
      if !isReadOnly { FolderSweep.removeLeftover(name, in: folder) }
      guard let hash = ContentHash(hex: name[...]) else { continue }
      guard let status = try? folder.status(of: name) else {
        isComplete = false
        continue
      }
      entries.append(
        DiskTrim.Entry(
          name: hash, bytes: status.allocatedBytes, stored: status.stored, used: status.used))
    }
    return (entries, isComplete)
  }
}

extension DiskEntry {
  /// The entry of an incomplete response of the same request.
  fileprivate var ofIncompleteResponse: DiskEntry {
    DiskEntry(identity: identity, key: key.ofIncompleteResponse, name: name)
  }
}
