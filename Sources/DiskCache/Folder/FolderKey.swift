import Glibc
import VitrineLoading

/// The file with the random key of a cache folder. The key digests the secrets of requests, so that files contain only
/// digests, and digests of one folder are useless for another.
enum FolderKey {
  /// The name of the file.
  static let name = "key"

  /// Returns the key of a folder; nil if there is none and `creating` is false.
  ///
  /// If two processes create a key at the same time, the key that is renamed last remains in the folder.
  static func read(in root: borrowing Descriptor, creating: Bool) throws(SystemError) -> DigestKey? {
    if let key = try read(in: root) { return key }
    guard creating else { return nil }
    let temporary = CacheFolder.temporaryName()
    do throws(SystemError) {
      var file = try root.open(temporary, flags: O_WRONLY | O_CREAT | O_EXCL)
      var generator = SystemRandomNumberGenerator()
      try file.write((0..<DigestKey.count).map { _ in UInt8.random(in: 0 ... .max, using: &generator) })
      // Without the key, all entries whose names depend on the key would be lost. The key is written once in the
      // lifetime of a folder.
      try file.synchronize()
      try file.close()
      try root.rename(temporary, to: name)
    } catch {
      try? root.remove(temporary)
      throw error
    }
    return try read(in: root)
  }

  private static func read(in root: borrowing Descriptor) throws(SystemError) -> DigestKey? {
    do throws(SystemError) {
      let file = try root.open(name, flags: O_RDONLY)
      let length = try file.status.size
      // A power failure may leave an empty file, which is replaced. A file that cannot be read at the moment is not
      // replaced.
      guard length == DigestKey.count else { return nil }
      guard let key = DigestKey(try ResponseReader.bytes(of: file, at: 0, count: DigestKey.count)) else {
        throw SystemError(EIO)
      }
      return key
    } catch {
      if error.code == ENOENT { return nil }
      throw error
    }
  }
}
