import Glibc
import Synchronization
import VitrineConcurrency
import VitrineLoading

/// Finds stored pixels. A hit reads a bucket of the index and a record, and usually opens no file.
struct PixelLookup {
  let context: PixelContext

  /// Returns the pixels that were made from a body; nil if there are none. A damaged entry is removed, except from a
  /// folder that is only read.
  ///
  /// - Parameter maximumCount: The number of pixels that an image in another size must not exceed; nil to look for the
  ///   pixels of the key.
  func pixels(
    for key: PixelKey, of body: BodyDigest, maximumCount: Int? = nil, reserving reserve: (Int) -> Void
  ) -> StoredPixels? {
    context.reading { () throws(DiskImageCache.Fault) -> StoredPixels? in
      guard let files = try context.files(creating: false),
        let name = try context.name(
          of: key.identity, variant: key.variant, family: key.family, in: files)
      else { return nil }
      let query = PixelQuery(name: name, body: body, maximumCount: maximumCount)
      return try context.system { () throws(SystemError) in try pixels(query, in: files, reserve) }
    }
  }

  private enum Search {
    case found(StoredPixels)
    case none
    /// The entry is of no use. `isDamaged` is false if its pack was removed.
    case useless(PixelEntry, isDamaged: Bool)
  }

  private func pixels(
    _ query: PixelQuery, in files: PixelFiles, _ reserve: (Int) -> Void
  ) throws(SystemError) -> StoredPixels? {
    let number = query.name.bucket(of: files.index.bucketCount)
    var search = try find(query, number, in: files, reserve)
    if case .useless(let entry, isDamaged: true) = search {
      // Read once more from a pack that is opened again: an error of the disk or the memory may be transient, and
      // another process may have changed the index or removed the pack meanwhile.
      files.close(entry.pack)
      search = try find(query, number, in: files, reserve)
    }
    switch search {
    case .found(let pixels): return pixels
    case .none: return nil
    case .useless(let entry, let isDamaged):
      if isDamaged { context.state.withLock { $0.foundDamage() } }
      remove(entry, number, in: files)
      return nil
    }
  }

  private func find(
    _ query: PixelQuery, _ number: Int, in files: PixelFiles, _ reserve: (Int) -> Void
  ) throws(SystemError) -> Search {
    guard let bucket = try files.index.bucket(number) else {
      context.state.withLock { $0.foundDamage() }
      remove(nil, number, in: files)
      return .none
    }
    guard let entry = query.entry(in: bucket) else { return .none }
    guard let pack = try pack(entry.pack, in: files) else { return .useless(entry, isDamaged: false) }
    if let refusal = context.folder.refusal(of: pack.status) {
      context.readFailed(refusal)
      // Opened again by the next lookup: its mode may have been corrected.
      files.close(entry.pack)
      return .none
    }
    let result = try PixelReader.read(
      entry, query, from: pack, maximumBytes: context.limits.bytes, reserving: reserve)
    switch result {
    case .pixels(let pixels):
      recordUse(of: pack)
      return .found(pixels)
    case .otherBody, .tooLarge: return .none
    case .damaged: return .useless(entry, isDamaged: true)
    }
  }

  /// Returns an open pack; nil if there is none, or if it is a pack of a seed that is not yet open to all readers.
  private func pack(_ number: UInt32, in files: PixelFiles) throws(SystemError) -> PackFile? {
    do throws(SystemError) {
      return try files.pack(number)
    } catch {
      guard context.folder.access == .seed, error.code == EACCES else { throw error }
      return nil
    }
  }

  private func recordUse(of pack: PackFile) {
    guard !context.folder.isReadOnly else { return }
    let (time, now) = (context.time, context.clock.now)
    let isStamped = context.state.withLock {
      $0.used(pack.number, recorded: pack.recordedUse, time: time, at: now)
    }
    // A read-only file system cannot record uses.
    if isStamped { try? pack.file.setTimes(FileTimes(used: time)) }
  }

  /// Removes an entry, or empties a damaged bucket if `entry` is nil. A reader does not wait for a writer of any
  /// process: the next lookup finds the entry again, and removes it.
  private func remove(_ entry: PixelEntry?, _ number: Int, in files: PixelFiles) {
    guard !context.folder.isReadOnly else { return }
    _ = context.writing.withLockIfAvailable { _ in
      // The entry of a read-only file system stays.
      try? files.index.update(number, in: files.folder, waits: false) { bucket in
        !bucket.remove { $0 == entry }.isEmpty
      }
    }
  }
}
