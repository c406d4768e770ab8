import Glibc
import Synchronization
import VitrineLoading

/// Lets all users read the pixels of a directory that becomes a seed.
///
/// Images share packs. The pixels of private responses, and of responses that do not exist, are therefore removed
/// first, and all bytes of packs are overwritten that no entry leads to.
struct PixelPublication {
  let context: PixelContext
  /// The names of the responses that all users may read. The pixels of a response are found by the same hash.
  let names: Set<ContentHash>

  /// Returns true if all modes were changed, or if there are no pixels.
  func run() -> Bool {
    guard !context.folder.isReadOnly else { return false }
    let isOpen = context.reading { () throws(DiskImageCache.Fault) -> Bool? in
      guard let files = try context.files(creating: false) else { return true }
      let hasPacks = try context.writing.withLock { (pack) throws(DiskImageCache.Fault) -> Bool in
        // Its lock is released, so that the pack can be changed.
        pack = nil
        return try context.system { () throws(SystemError) in try openPacks(of: files) }
      }
      guard hasPacks, let root = try context.folder.open(CacheFolder.pixelVersion, creating: false) else {
        return false
      }
      do throws(SystemError) {
        try files.folder.setMode(0o755)
        // Opening the folder for writing makes it private again, so this is the last change.
        try root.setMode(0o755)
        return true
      } catch {
        throw .refused(path: context.folder.path, code: error.code)
      }
    }
    return isOpen ?? false
  }

  /// Returns false if another process adds pixels, or if the folder cannot be listed.
  private func openPacks(of files: PixelFiles) throws(SystemError) -> Bool {
    let kept = try removeOthers(from: files)
    let contents = PixelSweep.contents(of: files.folder)
    guard contents.isComplete else { return false }
    for pack in contents.packs {
      guard try open(pack.number, keeping: kept[pack.number] ?? [], in: files) else { return false }
    }
    try files.folder.open(PixelBucket.fileName, flags: O_RDONLY).setMode(0o644)
    return true
  }

  // MARK: Index

  /// The position in the index and the tag of a request.
  private struct Place: Hashable {
    let bucket: Int
    let tag: UInt32
  }

  /// Removes the entries that belong to no public response from the index. Returns the positions of the other records,
  /// by pack.
  private func removeOthers(from files: PixelFiles) throws(SystemError) -> [UInt32: [Range<Int>]] {
    let count = files.index.bucketCount
    let places = Set(
      names.map {
        Place(bucket: $0.bucket(among: count), tag: PixelName.identityTag(of: $0))
      })
    var kept: [UInt32: [Range<Int>]] = [:]
    for number in 0..<count {
      let isPublic = { (entry: PixelEntry) in places.contains(Place(bucket: number, tag: entry.identityTag)) }
      let bucket = try files.index.bucket(number)
      if bucket?.entries.allSatisfy(isPublic) != true {
        try files.index.update(number, in: files.folder) { bucket in
          !bucket.remove { !isPublic($0) }.isEmpty
        }
      }
      for entry in bucket?.entries ?? [] where isPublic(entry) {
        if let range = entry.range { kept[entry.pack, default: []].append(range) }
      }
    }
    return kept
  }

  // MARK: Packs

  /// Overwrites everything in a pack except the records at `ranges`, and lets all users read the pack. A pack without
  /// records is removed. Returns false if another process adds pixels to the pack.
  private func open(
    _ number: UInt32, keeping ranges: [Range<Int>], in files: PixelFiles
  ) throws(SystemError) -> Bool {
    guard !ranges.isEmpty else {
      files.close(number)
      return [.removed, .missing].contains(PixelSweep.remove(number, in: files.folder))
    }
    let file = try files.folder.open(PackName.name(number), flags: O_RDWR)
    if case .heldByAnother = file.lock() { return false }
    defer { file.unlock() }
    for gap in Self.gaps(between: ranges, in: try file.status.size) { try file.erase(gap) }
    try file.setMode(0o644)
    return true
  }

  /// Returns the parts of a file of `size` bytes that none of the ranges covers.
  static func gaps(between ranges: [Range<Int>], in size: Int) -> [Range<Int>] {
    var (gaps, end) = ([Range<Int>](), 0)
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) where range.lowerBound < size {
      if range.lowerBound > end { gaps.append(end..<range.lowerBound) }
      end = max(end, range.upperBound)
    }
    if end < size { gaps.append(end..<size) }
    return gaps
  }
}
