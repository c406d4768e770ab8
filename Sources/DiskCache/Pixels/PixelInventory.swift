import Synchronization
import VitrineGraphics
import VitrineLoading

/// Counts and verifies all stored pixels.
struct PixelInventory {
  let context: PixelContext

  /// Returns the number of entries whose packs exist, and the bytes of packs and index. O(entries).
  func usage() -> ImageCache.DiskUsage {
    let usage = context.reading { () throws(DiskImageCache.Fault) -> ImageCache.DiskUsage? in
      guard let files = try context.files(creating: false) else { return nil }
      let contents = PixelSweep.contents(of: files.folder)
      let packs = Set(contents.packs.map(\.number))
      let bytes = contents.packs.reduce(contents.indexBytes) { $0.addingSaturated($1.bytes) }
      var count = 0
      for number in 0..<files.index.bucketCount {
        let bucket = try context.system { () throws(SystemError) in try files.index.bucket(number) }
        count += bucket?.entries.count { packs.contains($0.pack) } ?? 0
      }
      return ImageCache.DiskUsage(count: count, bytes: bytes)
    }
    return usage ?? ImageCache.DiskUsage(count: 0, bytes: 0)
  }

  /// Reads all records; see `DiskPixelCache.verify`.
  func verify(
    isRepairing: Bool, progress: (_ done: Int, _ total: Int) -> Void
  ) -> DiskPixelCache.Verification {
    var found = DiskPixelCache.Verification()
    _ = context.reading { () throws(DiskImageCache.Fault) -> Void? in
      guard let files = try context.files(creating: false) else { return nil }
      for number in 0..<files.index.bucketCount {
        try context.system { () throws(SystemError) in
          try verify(number, in: files, isRepairing: isRepairing, &found)
        }
        progress(number + 1, files.index.bucketCount)
      }
      return ()
    }
    return found
  }

  private func verify(
    _ number: Int, in files: PixelFiles, isRepairing: Bool, _ found: inout DiskPixelCache.Verification
  ) throws(SystemError) {
    let bucket = try files.index.bucket(number)
    if bucket == nil { found.damaged += 1 }
    var damaged: Set<PixelEntry> = []
    for entry in bucket?.entries ?? [] {
      // The pixels of a pack that was evicted are not damaged: they are gone.
      guard let isIntact = try isIntact(entry, in: files) else { continue }
      if isIntact {
        found.entries += 1
        found.bytes = found.bytes.addingSaturated(entry.pixelBytes ?? 0)
      } else {
        found.damaged += 1
        damaged.insert(entry)
      }
    }
    guard isRepairing, bucket == nil || !damaged.isEmpty else { return }
    try context.writing.withLock { (_) throws(SystemError) in
      try files.index.update(number, in: files.folder) { bucket in
        !bucket.remove { damaged.contains($0) }.isEmpty
      }
    }
  }

  /// Returns true if the record of an entry is undamaged, and nil if its pack does not exist. A record that seems to be
  /// damaged is read once more.
  private func isIntact(_ entry: PixelEntry, in files: PixelFiles) throws(SystemError) -> Bool? {
    guard let pack = try files.pack(entry.pack) else { return nil }
    if try isIntact(entry, in: pack) { return true }
    files.close(entry.pack)
    guard let again = try files.pack(entry.pack) else { return nil }
    return try isIntact(entry, in: again)
  }

  private func isIntact(_ entry: PixelEntry, in pack: PackFile) throws(SystemError) -> Bool {
    guard let range = entry.range, let count = entry.pixelBytes, count <= context.limits.bytes,
      try pack.reaches(range.upperBound)
    else { return false }
    let pixels = PixelBuffer(byteCount: count, isZeroed: false)
    let record = try PixelReader.record(of: pack, at: range.lowerBound, pixels: pixels.bytes)
    guard let record else { return false }
    return record.width == Int(entry.width) && record.height == Int(entry.height)
      && PixelName.keyTag(of: record.keyDigest) == entry.keyTag
      && PixelName.bodyTag(of: record.body) == entry.bodyTag
      && ContentHash(UnsafeRawBufferPointer(pixels.bytes)) == record.pixelHash
  }
}

extension DiskPixelCache {
  /// The result of reading all pixels.
  package struct Verification: Hashable, Sendable {
    /// The number of undamaged images, and the bytes of their pixels.
    package internal(set) var entries = 0, bytes = 0
    /// The number of damaged entries, and of damaged parts of the index.
    package internal(set) var damaged = 0

    package init() {}
  }

  /// Reads and verifies all pixels. O(bytes). Removes damaged entries if `isRepairing` is true.
  ///
  /// - Parameter progress: Receives the number of parts of the index that are done, and their total.
  package func verify(
    isRepairing: Bool = false, progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) -> Verification {
    inventory.verify(isRepairing: isRepairing, progress: progress)
  }
}
