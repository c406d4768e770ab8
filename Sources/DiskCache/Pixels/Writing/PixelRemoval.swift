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
      // Most removals are of images without pixels, and then nothing is written.
      guard
        try context.system({ () throws(SystemError) in try files.hasPixels(of: name.identity) })
      else { return nil }
      let path = context.folder.path
      return try context.writing.withLock { (_) throws(DiskImageCache.Fault) in
        do throws(SystemError) {
          try files.removePixels(of: name.identity)
        } catch {
          throw .refused(path: path, code: error.code)
        }
      }
    }
  }

  /// Removes the pixels of responses that were evicted, have expired or were damaged. Reads one bucket of the index for
  /// each response.
  ///
  /// - Parameters:
  ///   - names: The names of the files of the responses.
  ///   - folder: The cache folder of the responses and the pixels.
  static func remove(of names: [ContentHash], in folder: CacheFolder) {
    guard !names.isEmpty, !folder.isReadOnly else { return }
    do throws(DiskImageCache.Fault) {
      guard let root = try folder.open(CacheFolder.pixelVersion, creating: false),
        let files = try? PixelFolder.files(in: root, creatingFor: nil)
      else { return }
      for name in names where (try? files.hasPixels(of: name)) == true { try? files.removePixels(of: name) }
    } catch {
      // Without their response, pixels are not shown. They stay until their pack is removed.
    }
  }
}

extension PixelFiles {
  /// Returns true if the index may have pixels of a request.
  ///
  /// - Parameter identity: The hash of the request, which is the name of the file of the response.
  func hasPixels(of identity: ContentHash) throws(SystemError) -> Bool {
    let tag = PixelName.identityTag(of: identity)
    guard let bucket = try index.bucket(identity.bucket(among: index.bucketCount)) else {
      return true
    }
    return bucket.entries.contains { $0.identityTag == tag }
  }

  /// Removes the pixels of all variants of a request: the entries from the index, then the bytes from the packs.
  func removePixels(of identity: ContentHash) throws(SystemError) {
    let tag = PixelName.identityTag(of: identity)
    var removed: [PixelEntry] = []
    do throws(SystemError) {
      try index.update(identity.bucket(among: index.bucketCount), in: folder) { bucket in
        removed = bucket.remove { $0.identityTag == tag }
        return !removed.isEmpty
      }
    } catch {
      // The folder was removed meanwhile, and the pixels with it.
      if error.code == ENOENT { return }
      // The bytes are overwritten nevertheless, so that the entries lead to nothing.
      for entry in removed { try? erase(entry) }
      throw error
    }
    var failure: SystemError?
    for entry in removed {
      do throws(SystemError) { try erase(entry) } catch { failure = error }
    }
    if let failure { throw failure }
  }
}
