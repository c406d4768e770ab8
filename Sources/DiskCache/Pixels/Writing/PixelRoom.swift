import Glibc
import Synchronization
import VitrineConcurrency
import VitrineLoading

/// Makes room for new pixels within the limits. Called with the writer's lock held.
struct PixelRoom {
  let context: PixelContext

  /// Makes room for a record. Returns false if the pixels are not to be stored: all packs were used by this process a
  /// short time ago, or enough was evicted today. Throws if the file system has too little free space.
  func make(for record: Int, in files: PixelFiles) throws(DiskImageCache.Fault) -> Bool {
    let now = context.clock.now
    try checkFreeSpace(for: record, in: files, at: now)
    if context.state.withLock({ $0.usage.needsScan(forLimit: $0.limits.bytes) }) { scan(files) }
    if context.state.withLock({ $0.hasRoom(for: record) }) { return true }
    guard !context.state.withLock({ $0.lacksRoom(at: now) }) else { return false }
    // Other processes may have removed packs since the last scan.
    scan(files)
    let time = context.time
    guard let victims = context.state.withLock({ $0.makeRoom(for: record, time: time, at: now) }) else {
      return false
    }
    evict(victims, in: files)
    return context.state.withLock { $0.hasRoom(for: record) }
  }

  /// Throws if the pixels would take free space that is left to other programs. Packs are not removed for other pixels
  /// then; see `PixelReclaim`.
  private func checkFreeSpace(
    for record: Int, in files: PixelFiles, at now: Int64
  ) throws(DiskImageCache.Fault) {
    let freeBytes = context.limits.freeBytes
    guard freeBytes > 0, let space = files.folder.space,
      space.freeBytes.subtractingSaturated(record) < freeBytes
    else { return }
    context.state.withLock { $0.lackedSpace(for: record, at: now) }
    throw .diskIsFull(path: context.folder.path)
  }

  /// Counts the packs. O(packs).
  func scan(_ files: PixelFiles) {
    let found = PixelSweep.contents(of: files.folder)
    context.state.withLock { $0.scanned(found) }
  }

  /// Removes packs. Packs that another process adds to stay.
  func evict(_ victims: [PackUsage.Pack], in files: PixelFiles) {
    for pack in victims {
      files.close(pack.number)
      switch PixelSweep.remove(pack.number, in: files.folder) {
      case .removed, .missing: context.state.withLock { $0.evicted(pack.number) }
      case .locked, .failed: break
      }
    }
  }
}
