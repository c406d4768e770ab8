import Glibc
import Synchronization
import VitrineConcurrency
import VitrineLoading

/// Makes room for new pixels within the limits. Called with the writer's lock held.
struct PixelRoom {
  let context: PixelContext

  /// A place for an entry in a bucket of the index.
  struct Place {
    /// The entry that is replaced; nil if the bucket has room.
    var victim: PixelEntry?
  }

  /// Returns the place for a new entry; nil if all entries of a full bucket are of packs that this process has used a
  /// short time ago. Small images in turn, of which the index cannot hold all, would otherwise be written without end.
  func place(for name: PixelName, in bucket: PixelBucket?) -> Place? {
    guard let bucket, bucket.isFull(for: name) else { return Place() }
    let now = context.clock.now
    let victim = context.state.withLock { state in
      bucket.entries.first { !state.usage.isProtected($0.pack, at: now) }
    }
    return victim.map { Place(victim: $0) }
  }

  /// Returns false if enough was evicted today. Entries of packs that are gone may be replaced in any case.
  func take(_ place: Place, for record: Int) -> Bool {
    guard let victim = place.victim else { return true }
    return context.state.withLock { $0.replaces(victim, by: record, at: context.clock.now) }
  }

  /// The number of seconds for which the result of a scan is used.
  private static let scanSeconds = 1.0

  /// Makes room for a record. Returns false if the pixels are not to be stored: all packs were used by this process a
  /// short time ago, or enough was evicted today. Throws if the file system has too little free space.
  ///
  /// - Parameter active: The pack that this process adds to, which is not removed.
  func make(
    for record: Int, active: UInt32?, in files: PixelFiles
  ) throws(DiskImageCache.Fault) -> Bool {
    let now = context.clock.now
    try checkFreeSpace(for: record, in: files, at: now)
    if context.state.withLock({ $0.usage.needsScan(forLimit: $0.limits.bytes) }) {
      guard try scan(files, active: active) else { return false }
    }
    if context.state.withLock({ $0.hasRoom(for: record) }) { return true }
    let (lacksRoom, wasScanned) = context.state.withLock {
      ($0.lacksRoom(at: now), $0.usage.wasScanned(within: Self.scanSeconds, at: now))
    }
    guard !lacksRoom else { return false }
    // Other processes may have removed packs since the last scan. A scan for each of many small packs would take long.
    if !wasScanned, try !scan(files, active: active) { return false }
    let time = context.time
    var locked = Set(active.map { [$0] } ?? [])
    while !context.state.withLock({ $0.hasRoom(for: record) }) {
      let victims = context.state.withLock {
        $0.makeRoom(for: record, locked: locked, time: time, at: now)
      }
      guard let victims, !victims.isEmpty else { return false }
      // Packs that other processes add to stay, and others are removed instead of them.
      locked.formUnion(evict(victims, in: files))
    }
    return true
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

  /// Counts the packs, and removes those that were erased. Returns false if they could not be counted. Throws
  /// `ENOENT` if the folder was removed. O(packs); O(entries) if most of a pack was erased.
  ///
  /// - Parameter active: The pack that this process adds to.
  func scan(_ files: PixelFiles, active: UInt32? = nil) throws(DiskImageCache.Fault) -> Bool {
    var found = PixelSweep.contents(of: files.folder)
    found.indexBytes = files.index.maximumBytes
    removeErased(from: &found, active: active, in: files)
    let now = context.clock.now
    context.state.withLock { $0.scanned(found, at: now) }
    if found.isComplete { return true }
    let isCurrent = try context.system { () throws(SystemError) in try files.index.isCurrent() }
    if !isCurrent { throw .refused(path: context.folder.path, code: ENOENT) }
    return false
  }

  /// Removes packs whose records were all replaced or removed, and empty packs for a single image, whose writer was
  /// killed. Such packs take few bytes, so that the byte limit does not keep thousands of them from piling up where
  /// images change often.
  private func removeErased(from found: inout PixelSweep.Contents, active: UInt32?, in files: PixelFiles) {
    let time = context.time
    let erased = found.packs.filter { $0.number != active && Self.mayBeErased($0, time: time) }
    guard !erased.isEmpty, let used = try? files.index.packs() else { return }
    var removed: Set<UInt32> = []
    for pack in erased where !used.contains(pack.number) {
      files.close(pack.number)
      let removal = PixelSweep.remove(pack.number, in: files.folder)
      if removal == .removed || removal == .missing { removed.insert(pack.number) }
    }
    found.packs.removeAll { removed.contains($0.number) }
  }

  /// The number of seconds for which a new pack with a single image is kept. It is locked only until its entry is
  /// written, which may be after the index was read.
  private static let newPackSeconds: Int64 = 60

  /// Returns true if all records of a pack may have been erased, or if a process was killed before the first one was
  /// written.
  private static func mayBeErased(_ pack: PackUsage.Pack, time: Int64) -> Bool {
    if PackName.isSingle(pack.number) {
      guard pack.used < time - newPackSeconds else { return false }
      if pack.size == 0 { return true }
    }
    // A record that shares blocks of the disk with its neighbors leaves a part of them. A new pack is empty.
    return pack.size > 0 && pack.bytes <= pack.size / 2
  }

  /// Removes packs. Returns the packs that could not be removed, because another process adds to them or because of an
  /// error.
  @discardableResult
  func evict(_ victims: [PackUsage.Pack], in files: PixelFiles) -> [UInt32] {
    victims.map(\.number).filter { number in
      files.close(number)
      switch PixelSweep.remove(number, in: files.folder) {
      case .removed, .missing:
        context.state.withLock { $0.evicted(number) }
        return false
      case .locked, .failed: return true
      }
    }
  }
}
