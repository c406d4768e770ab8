import Glibc
import Synchronization
import VitrineConcurrency
import VitrineLoading

/// The folder, the clocks and the state of a cache, which reading, writing and trimming share.
final class CacheContext: Sendable {
  let folder: CacheFolder
  let state: Mutex<CacheState>
  let clock: any LoadingClock
  let heads: HeadTable
  private let wallClock: @Sendable () -> Double

  init(
    folder: CacheFolder, limits: DiskImageCache.Limits, clock: any LoadingClock,
    wallClock: @escaping @Sendable () -> Double
  ) {
    self.folder = folder
    state = Mutex(CacheState(limits: limits))
    self.clock = clock
    self.wallClock = wallClock
    heads = HeadTable(folder: folder, clock: clock)
  }

  var limits: DiskImageCache.Limits { state.withLock { $0.limits } }

  /// The wall-clock time in seconds since 1970, limited to what file systems can record.
  var time: Int64 { FileTimes.time(wallClock()) }

  /// Opens the folder, and makes a delayed removal first; see `CacheFolder.open(creating:)`.
  func open(creating: Bool) throws(DiskImageCache.Fault) -> Descriptor? {
    let removal = state.withLock { $0.delayedRemoval.number }
    guard let root = try folder.open(creating: creating) else {
      // There is nothing left to remove.
      if let removal { state.withLock { $0.delayedRemoval.end(removal) } }
      return nil
    }
    if let removal { try makeDelayed(removal, in: root) }
    return root
  }

  /// Makes a delayed removal. Throws if the folder still cannot be read, so that nothing is found, until the removal is
  /// given up.
  private func makeDelayed(_ removal: Int, in root: borrowing Descriptor) throws(DiskImageCache.Fault) {
    if FolderSweep.removeAll(root).isComplete {
      state.withLock { state in
        state.delayedRemoval.end(removal)
        state.removedAll()
      }
      return
    }
    let now = clock.now
    guard state.withLock({ $0.delayedRemoval.fail(removal, at: now) }) else {
      throw .refused(path: folder.path, code: EAGAIN)
    }
    DiagnosticLog.report(
      DiagnosticMessage(subject: "disk cache", text: "\(folder.path): responses could not be removed"))
  }

  /// Removes all files, or delays the removal if the folder cannot be read at the moment. Returns true if any response
  /// was removed.
  func removeAll() -> Bool {
    guard !folder.isReadOnly else { return false }
    var isAny = false
    heads.close()
    do throws(DiskImageCache.Fault) {
      if let root = try open(creating: false) {
        let (count, isComplete) = FolderSweep.removeAll(root)
        isAny = count > 0
        if !isComplete { throw .refused(path: folder.path, code: EAGAIN) }
      }
    } catch {
      readFailed(error)
      let now = clock.now
      if error.isTransient { state.withLock { $0.delayedRemoval.request(at: now) } }
    }
    state.withLock { $0.removedAll() }
    return isAny
  }

  /// Calls `body` with the folder. Returns nil if the folder does not exist or an error is thrown, which is recorded as
  /// a failure.
  func reading<Result>(_ body: (borrowing Descriptor) throws(DiskImageCache.Fault) -> Result) -> Result? {
    do throws(DiskImageCache.Fault) {
      guard let root = try open(creating: false) else { return nil }
      return try body(root)
    } catch {
      readFailed(error)
      return nil
    }
  }

  /// Records a fault of reading, and reports the fault if it is new.
  private func readFailed(_ fault: DiskImageCache.Fault) {
    if state.withLock({ $0.readFailed(fault) }) { report(fault, "nothing is found") }
  }

  /// True if the folder does not exist.
  var isFolderMissing: Bool {
    do throws(DiskImageCache.Fault) {
      guard let root = try folder.open(creating: false) else { return true }
      _ = root.number
    } catch {
      // The folder may have contents that cannot be read now.
    }
    return false
  }

  /// Returns true if the folder is usable or does not exist yet. Otherwise records a fault of writing.
  func mayUseFolder() -> Bool {
    guard !folder.isReadOnly else { return false }
    do throws(DiskImageCache.Fault) {
      if let root = try open(creating: false) { _ = root.number }
      return true
    } catch {
      writeFailed(error)
      return false
    }
  }

  /// Records a fault of writing, and reports the fault if it is new.
  func writeFailed(_ fault: DiskImageCache.Fault) {
    let now = clock.now
    if state.withLock({ $0.writeFailed(fault, at: now) }) { report(fault, "nothing is kept") }
  }

  private func report(_ fault: DiskImageCache.Fault, _ consequence: String) {
    DiagnosticLog.report(DiagnosticMessage(subject: "disk cache", text: "\(consequence): \(fault)"))
  }

  /// Removes a file, and the pixels that were made from it. Returns true if the file was removed, and false in a folder
  /// that is only read.
  @discardableResult
  func remove(
    _ name: ContentHash, in shard: borrowing Descriptor, because reason: CacheState.Removal
  ) -> Bool {
    guard !folder.isReadOnly else { return false }
    let status = try? shard.status(of: name.hex)
    do throws(SystemError) {
      try shard.remove(name.hex)
    } catch {
      return false
    }
    state.withLock { $0.removed(name, bytes: status?.allocatedBytes, because: reason) }
    removeDerived(of: [name])
    return true
  }

  /// Removes the heads and the pixels of responses that were removed.
  func removeDerived(of names: [ContentHash]) {
    heads.remove(names)
    PixelRemoval.remove(of: names, in: folder)
  }
}
