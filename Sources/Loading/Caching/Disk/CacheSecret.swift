import Glibc

/// A random key of a cache folder, used to digest secrets. Files contain only digests, and digests made with the key of
/// one folder are useless for another.
struct CacheSecret: Hashable, Sendable {
  /// The name of the file that holds the key.
  static let name = "key"
  private static let count = 32

  private let bytes: [UInt8]

  init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.count else { return nil }
    self.bytes = bytes
  }

  /// Returns the HMAC-SHA-256 digest of a secret, 32 bytes.
  func digest(_ bytes: [UInt8]) -> [UInt8] { SHA256.authenticationCode(bytes, key: self.bytes) }

  /// Returns the fields with digests in place of the values. The digest includes the name, so that equal values of two
  /// fields have different digests.
  func digested(_ fields: [HTTPHeaders.Field]) -> [HTTPHeaders.Field] {
    fields.map { field in
      var writer = ByteWriter()
      writer.append(field.name)
      writer.append(field.value)
      let digest = digest(writer.bytes).map { byte in
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
      }
      return HTTPHeaders.Field(name: field.name, value: digest.joined())
    }
  }

  // MARK: The file

  /// Returns the key of a folder; nil if there is none and `creating` is false.
  ///
  /// If two processes create a key at the same time, the key that is renamed last remains in the folder.
  static func read(in root: borrowing Descriptor, creating: Bool) throws(SystemError) -> CacheSecret? {
    if let secret = try read(in: root) { return secret }
    guard creating else { return nil }
    let temporary = CacheFolder.temporaryName()
    do throws(SystemError) {
      var file = try root.open(temporary, flags: O_WRONLY | O_CREAT | O_EXCL)
      var generator = SystemRandomNumberGenerator()
      try file.write((0..<count).map { _ in UInt8.random(in: 0 ... .max, using: &generator) })
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

  private static func read(in root: borrowing Descriptor) throws(SystemError) -> CacheSecret? {
    do throws(SystemError) {
      let file = try root.open(name, flags: O_RDONLY)
      let length = try file.status.size
      // A power failure may leave an empty file, which is replaced. A file that cannot be read at the moment is not
      // replaced.
      guard length == count else { return nil }
      guard let secret = CacheSecret(try ResponseReader.bytes(of: file, at: 0, count: count)) else {
        throw SystemError(EIO)
      }
      return secret
    } catch {
      if error.code == ENOENT { return nil }
      throw error
    }
  }
}
