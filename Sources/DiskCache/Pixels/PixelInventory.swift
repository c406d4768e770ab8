import Glibc
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
      let contents = PixelSweep.contents(of: files.folder, isReadOnly: context.folder.isReadOnly)
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

  // MARK: Verification

  /// Reads all records; see `DiskPixelCache.verify`.
  func verify(
    isRepairing: Bool, progress: (_ done: Int, _ total: Int) -> Bool
  ) -> DiskPixelCache.Verification {
    let isRepairing = isRepairing && !context.folder.isReadOnly
    var found = DiskPixelCache.Verification()
    do throws(DiskImageCache.Fault) {
      if let files = try context.files(creating: false) {
        let packs = PixelSweep.contents(of: files.folder, isReadOnly: context.folder.isReadOnly).packs
        var used: Set<UInt32> = []
        for number in 0..<files.index.bucketCount {
          used.formUnion(verify(number, in: files, isRepairing: isRepairing, &found))
          guard progress(number + 1, files.index.bucketCount) else { return found }
        }
        // Entries that could not be read may lead to any pack.
        if found.unreadable == 0 {
          verify(packs, apartFrom: used, in: files, isRepairing: isRepairing, &found)
        }
      } else if try hasDamagedIndex() {
        found.damaged += 1
        // Without an index, no pixels can be found again.
        if isRepairing, context.removeAll() == nil { found.removed += 1 }
      }
    } catch {
      failed(error, &found)
    }
    return found
  }

  private func failed(_ fault: DiskImageCache.Fault, _ found: inout DiskPixelCache.Verification) {
    context.readFailed(fault)
    found.unreadable += 1
  }

  /// Looks for packs to which no entry leads, and removes them if `isRepairing` is true.
  private func verify(
    _ packs: [PackUsage.Pack], apartFrom used: Set<UInt32>, in files: PixelFiles, isRepairing: Bool,
    _ found: inout DiskPixelCache.Verification
  ) {
    do throws(SystemError) {
      let orphaned = try OrphanedPacks.find(among: packs, apartFrom: used, in: files)
      found.damaged += orphaned.count
      guard isRepairing else { return }
      for number in orphaned {
        files.close(number)
        if PixelSweep.remove(number, in: files.folder) == .removed { found.removed += 1 }
      }
    } catch {
      failed(.refused(path: context.folder.path, code: error.code), &found)
    }
  }

  /// Verifies the entries of a bucket. Returns the packs of those that are not damaged.
  private func verify(
    _ number: Int, in files: PixelFiles, isRepairing: Bool, _ found: inout DiskPixelCache.Verification
  ) -> Set<UInt32> {
    let path = context.folder.path
    let bucket: PixelBucket?
    do throws(SystemError) {
      bucket = try files.index.bucket(number)
    } catch {
      failed(.refused(path: path, code: error.code), &found)
      return []
    }
    var damaged: Set<PixelEntry> = []
    var packs: Set<UInt32> = []
    for entry in bucket?.entries ?? [] {
      do throws(SystemError) {
        // Pixels of a pack that was evicted are not damaged: they are gone.
        let isIntact = try isIntact(entry, in: files)
        if isIntact != false { packs.insert(entry.pack) }
        guard let isIntact else { continue }
        if isIntact {
          found.entries += 1
          found.bytes = found.bytes.addingSaturated(entry.pixelBytes ?? 0)
        } else {
          damaged.insert(entry)
        }
      } catch {
        failed(.refused(path: path, code: error.code), &found)
      }
    }
    if !damaged.isEmpty, let current = try? files.index.bucket(number) {
      // Another process may have removed entries meanwhile and overwritten their records.
      damaged.formIntersection(current.entries)
    }
    let count = damaged.count + (bucket == nil ? 1 : 0)
    found.damaged += count
    guard isRepairing, count > 0 else { return packs }
    do throws(SystemError) {
      try context.writing.withLock { (_) throws(SystemError) in
        try files.index.update(number, in: files.folder) { bucket in
          !bucket.remove { damaged.contains($0) }.isEmpty
        }
      }
      found.removed += count
    } catch {
      context.readFailed(.refused(path: path, code: error.code))
    }
    return packs
  }

  /// Returns true if the record of an entry is undamaged; nil if its pack does not exist, or if the image exceeds the
  /// limit. A record that seems to be damaged is read once more.
  private func isIntact(_ entry: PixelEntry, in files: PixelFiles) throws(SystemError) -> Bool? {
    let (limit, count) = (context.limits.bytes, entry.pixelBytes)
    guard count.map({ $0 <= limit }) ?? true, let pack = try files.pack(entry.pack) else { return nil }
    if try isIntact(entry, in: pack) { return true }
    files.close(entry.pack)
    guard let again = try files.pack(entry.pack) else { return nil }
    return try isIntact(entry, in: again)
  }

  private func isIntact(_ entry: PixelEntry, in pack: PackFile) throws(SystemError) -> Bool {
    guard let range = entry.range, let count = entry.pixelBytes, try pack.reaches(range.upperBound)
    else { return false }
    let pixels = PixelBuffer(byteCount: count, isZeroed: false)
    let record = try PixelReader.record(of: entry, in: pack, pixels: pixels.bytes)
    guard let record else { return false }
    return record.width == Int(entry.width) && record.height == Int(entry.height)
      && PixelName.keyTag(of: record.keyDigest) == entry.keyTag
      && PixelName.bodyTag(of: record.body) == entry.bodyTag
      && ContentHash(UnsafeRawBufferPointer(pixels.bytes)) == record.pixelHash
  }

  /// Returns true if there is an index that cannot be used. An empty index is being removed.
  private func hasDamagedIndex() throws(DiskImageCache.Fault) -> Bool {
    guard let root = try context.folder.open(CacheFolder.pixelVersion, creating: false) else { return false }
    do throws(SystemError) {
      let folder = try root.openFolder(PixelFolder.packs)
      let status = try folder.status(of: PixelBucket.fileName)
      guard !status.isRegular || status.size > 0 else { return false }
      return try PixelIndex.open(in: folder) == nil
    } catch {
      if error.code == ENOENT { return false }
      throw .refused(path: context.folder.path, code: error.code)
    }
  }
}

// The contents of a cache, for tools.

extension DiskPixelCache {
  /// The result of reading all pixels.
  package struct Verification: Hashable, Sendable {
    /// The number of undamaged images, and the bytes of their pixels.
    package internal(set) var entries = 0, bytes = 0
    /// The number of damaged entries, of damaged parts of the index, and of packs to which no entry leads.
    package internal(set) var damaged = 0
    /// The number of damaged entries, parts of the index and packs that were removed.
    package internal(set) var removed = 0
    /// The number of entries and parts of the index that the system refused to read.
    package internal(set) var unreadable = 0

    package init() {}
  }

  /// Reads and verifies all pixels. O(bytes). Removes damaged entries and packs to which no entry leads if
  /// `isRepairing` is true, unless the cache is only read. Images that exceed the limit, which a cache with another limit has stored, are skipped.
  ///
  /// - Parameter progress: Receives the number of parts of the index that are done, and their total. Returns false to
  ///   stop.
  package func verify(
    isRepairing: Bool = false, progress: (_ done: Int, _ total: Int) -> Bool = { _, _ in true }
  ) -> Verification {
    inventory.verify(isRepairing: isRepairing, progress: progress)
  }

  /// Opens the folder and returns the fault that prevents reading; nil if there is none, or no folder.
  package func checkAccess() -> DiskImageCache.Fault? {
    do throws(DiskImageCache.Fault) {
      _ = try context.files(creating: false)
      return nil
    } catch {
      return error
    }
  }

  /// Removes all pixels like `removeAllPixels()`. Returns the fault that has prevented the removal; nil if there was
  /// none.
  package func removeAll() -> DiskImageCache.Fault? { context.removeAll() }
}
