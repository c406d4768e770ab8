import Glibc
import VitrineLoading

/// The file with the random key of a cache folder. The key digests the secrets of requests, so that files contain only
/// digests, and digests of one folder are useless for another.
enum FolderKey {
  static let name = "key"

  /// Returns the identity of the file; nil if there is none.
  static func file(in root: borrowing Descriptor) throws(SystemError) -> FileIdentity? {
    do throws(SystemError) {
      return try root.status(of: name).identity
    } catch {
      if error.code == ENOENT { return nil }
      throw error
    }
  }

  /// Returns the key of a folder and the file that holds the key; nil if there is none and `creating` is false.
  ///
  /// If two processes create the first key at the same time, both use the key of the process that was faster.
  static func read(
    in root: borrowing Descriptor, creating: Bool
  ) throws(SystemError) -> (file: FileIdentity, key: DigestKey)? {
    if let known = try read(in: root) { return known }
    guard creating else { return nil }
    var generator = SystemRandomNumberGenerator()
    try create((0..<DigestKey.count).map { _ in UInt8.random(in: 0 ... .max, using: &generator) }, in: root)
    return try read(in: root)
  }

  /// Copies the key of another folder, unless `root` has a key.
  static func copy(from other: borrowing Descriptor, to root: borrowing Descriptor) throws(SystemError) {
    guard let key = try bytes(in: other)?.bytes, try read(in: root) == nil else { return }
    try create(key, in: root)
  }

  private static func create(_ key: [UInt8], in root: borrowing Descriptor) throws(SystemError) {
    try TemporaryFile.write(in: root) { (file) throws(SystemError) in
      try file.write(key)
      // Without the key, all entries whose names depend on the key would be lost. The key is written once in the
      // lifetime of a folder.
      try file.synchronize()
    } publish: { (temporary) throws(SystemError) in
      try publish(temporary, in: root)
      // After a link, the file has two names.
      try? root.remove(temporary)
    }
  }

  /// Gives a new key its name, unless another process has done so in the meantime: private entries that the other
  /// process has stored would be lost with the key.
  private static func publish(_ temporary: String, in root: borrowing Descriptor) throws(SystemError) {
    for _ in 0..<2 {
      do throws(SystemError) {
        return try root.link(temporary, to: name)
      } catch {
        switch error.code {
        case EEXIST: if try read(in: root) != nil { return }
        // The file system has no links, like FAT.
        case EPERM, ENOSYS, EOPNOTSUPP, EMLINK: break
        default: throw error
        }
      }
      // After the removal of a folder, the link is tried once more.
      guard (try? RemovedFolder.remove(name, in: root)) == true else { break }
    }
    // A damaged key is replaced.
    try root.rename(temporary, to: name)
  }

  private static func read(
    in root: borrowing Descriptor
  ) throws(SystemError) -> (file: FileIdentity, key: DigestKey)? {
    guard let known = try bytes(in: root) else { return nil }
    return DigestKey(known.bytes).map { (known.file, $0) }
  }

  /// Returns the contents of the file and its identity; nil if there is no file, or if the file is damaged or something
  /// else, such as a link.
  private static func bytes(
    in root: borrowing Descriptor
  ) throws(SystemError) -> (file: FileIdentity, bytes: [UInt8])? {
    do throws(SystemError) {
      let file = try root.open(name, flags: O_RDONLY)
      let status = try file.status
      // A power failure may leave an empty file, which is replaced. A file that cannot be read at the moment is not
      // replaced.
      guard status.isRegular, status.size == DigestKey.count else { return nil }
      let bytes = try ResponseReader.bytes(of: file, at: 0, count: DigestKey.count)
      guard bytes.count == DigestKey.count else { throw SystemError(EIO) }
      return (status.identity, bytes)
    } catch {
      guard [ENOENT, ELOOP, ENXIO].contains(error.code) else { throw error }
      return nil
    }
  }
}
