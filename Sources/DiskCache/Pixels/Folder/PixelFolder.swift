import Glibc
import VitrineLoading

/// The folder of decoded pixels, beside the folder of responses:
///
///     FOLDER/p1/packs/index       where in which pack the pixels of a key are (`PixelIndex`)
///     FOLDER/p1/packs/0a1b2c3d    packs: records of one image or many, one after another (`PixelRecord`)
///
/// Names depend on the key of the folder of responses (`FolderKey`).
enum PixelFolder {
  static let packs = "packs"

  /// Opens the folder of packs in `root`; nil if it does not exist or its index is damaged, and `limits` is nil.
  ///
  /// - Parameters:
  ///   - limits: The limits for which a missing folder and a missing or damaged index are created.
  ///   - keepsReaders: True if `root` was not made private when it was opened.
  static func files(
    in root: borrowing Descriptor, creatingFor limits: DiskPixelCache.Limits?, keepsReaders: Bool = false
  ) throws(SystemError) -> PixelFiles? {
    let isCreating = limits != nil
    do throws(SystemError) {
      let folder = try root.openFolder(packs, creating: isCreating)
      // Otherwise the folder was made private when it was opened.
      let isPrivate = try root.status.permissions & 0o077 == 0
      let hasModes = keepsReaders || isPrivate
      if let index = try PixelIndex.open(in: folder) {
        return PixelFiles(folder: folder, index: index, hasModes: hasModes)
      }
      guard let limits else { return nil }
      let index = try createIndex(for: limits, in: folder)
      return PixelFiles(folder: folder, index: index, hasModes: hasModes)
    } catch {
      if error.code == ENOENT, !isCreating { return nil }
      throw error
    }
  }

  /// Makes a new index, unless another process has just done so: the pixels that it has stored would be lost.
  private static func createIndex(
    for limits: DiskPixelCache.Limits, in folder: borrowing Descriptor
  ) throws(SystemError) -> PixelIndex {
    let lock = try folder.openFolder(".")
    lock.lockWaiting()
    defer { lock.unlock() }
    if let index = try PixelIndex.open(in: folder) { return index }
    // Without an index, no pixels can be found again.
    PixelSweep.removePacks(in: folder)
    try PixelIndex.create(bucketCount: limits.bucketCount, in: folder)
    guard let index = try PixelIndex.open(in: folder) else { throw SystemError(ENOENT) }
    return index
  }
}
