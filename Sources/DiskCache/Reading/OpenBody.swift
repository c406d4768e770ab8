import VitrineLoading

/// The body of a stored response in an open file. Files of the cache are never changed before the end of the body; a new
/// body is written to another file.
final class OpenBody: Sendable {
  /// The number of bytes that are read at a time to verify a body.
  private static let chunkLength = 256 << 10

  private let file: Descriptor
  private let start: Int
  private let count: Int

  /// - Parameter start: The offset of the body in the file.
  init(_ file: consuming Descriptor, start: Int, count: Int) {
    self.file = file
    self.start = start
    self.count = count
  }

  /// Returns true if the body has a hash. Reads all of the body, a part at a time.
  func isIntact(_ hash: ContentHash) -> Bool {
    var hasher = ContentHasher()
    var offset = 0
    while offset < count {
      let length = min(Self.chunkLength, count - offset)
      guard let bytes = try? ResponseReader.bytes(of: file, at: start + offset, count: length),
        bytes.count == length
      else { return false }
      hasher.append(bytes)
      offset += length
    }
    return hasher.hash == hash
  }

  var encoded: EncodedBytes {
    EncodedBytes(count: count) { [self] offset, buffer in
      (try? Descriptor.read(file.number, into: buffer, at: start + offset, system: file.system)) ?? 0
    }
  }
}
