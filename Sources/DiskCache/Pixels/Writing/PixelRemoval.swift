import Glibc
import Synchronization
import VitrineLoading

/// Removes the pixels of a request.
struct PixelRemoval {
  let context: PixelContext

  /// Removes the pixels of all variants: the entries from the index, then the bytes from the packs.
  func remove(_ identity: RequestIdentity) {
    _ = context.reading { () throws(DiskImageCache.Fault) -> Void? in
      guard let files = try context.files(creating: false),
        let name = try context.name(of: identity, in: files)
      else { return nil }
      let number = name.bucket(of: files.index.bucketCount)
      // Most removals are of images without pixels, and then nothing is written.
      guard try has(name, number, in: files) else { return nil }
      let path = context.folder.path
      return try context.writing.withLock { (_) throws(DiskImageCache.Fault) in
        do throws(SystemError) {
          try remove(name, number, in: files)
        } catch {
          throw .refused(path: path, code: error.code)
        }
      }
    }
  }

  private func has(
    _ name: PixelName, _ number: Int, in files: PixelFiles
  ) throws(DiskImageCache.Fault) -> Bool {
    try context.system { () throws(SystemError) in
      guard let bucket = try files.index.bucket(number) else { return true }
      return bucket.entries.contains { $0.identityTag == name.identityTag }
    }
  }

  private func remove(_ name: PixelName, _ number: Int, in files: PixelFiles) throws(SystemError) {
    var removed: [PixelEntry] = []
    do throws(SystemError) {
      try files.index.update(number, in: files.folder) { bucket in
        removed = bucket.remove { $0.identityTag == name.identityTag }
        return !removed.isEmpty
      }
    } catch {
      // The folder was removed meanwhile, and the pixels with it.
      if error.code == ENOENT { return }
      // The bytes are overwritten nevertheless, so that the entries lead to nothing.
      for entry in removed { try? files.erase(entry) }
      throw error
    }
    var failure: SystemError?
    for entry in removed {
      do throws(SystemError) { try files.erase(entry) } catch { failure = error }
    }
    if let failure { throw failure }
  }
}
