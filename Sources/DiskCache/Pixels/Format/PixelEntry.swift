import VitrineGraphics

/// An entry of the index: the position of a record in a pack, and tags of what it contains.
///
/// The tags keep lookups from reading other records. They prove nothing: the record has the whole digests.
struct PixelEntry: Hashable {
  /// The length of an entry in bytes.
  static let length = 32

  var keyTag: UInt64
  var identityTag: UInt32
  var bodyTag: UInt32
  var pack: UInt32
  var offset: UInt32
  var width: UInt32
  /// Less than 2³¹.
  var height: UInt32
  /// True if the record has the title and the time of the image. Stored as the highest bit of the height: for an earlier
  /// version, which knows no such records, the record is damaged.
  var hasMetadata = false

  /// The number of bytes of the pixels; nil if it does not fit in an `Int`.
  var pixelBytes: Int? { Self.pixelBytes(width: Int(width), height: Int(height)) }

  /// Returns the number of bytes of pixels; nil if it does not fit in an `Int`.
  static func pixelBytes(width: Int, height: Int) -> Int? {
    let (pixels, didOverflow) = width.multipliedReportingOverflow(by: height)
    let (bytes, didOverflowAgain) = pixels.multipliedReportingOverflow(by: PixelFormat.bytesPerPixel)
    return didOverflow || didOverflowAgain || bytes <= 0 ? nil : bytes
  }

  /// The position of the header and the pixels in the pack; nil if it does not fit in an `Int`.
  var range: Range<Int>? {
    guard let pixelBytes else { return nil }
    let start = Int(offset)
    let (end, didOverflow) = pixelBytes.addingReportingOverflow(
      start + PixelRecord.headerLength(hasMetadata: hasMetadata))
    return didOverflow ? nil : start..<end
  }
}

extension PixelEntry {
  static let metadataBit: UInt32 = 1 << 31

  /// Reads an entry from `length` bytes.
  init(_ bytes: UnsafeRawBufferPointer) {
    func word(_ offset: Int) -> UInt32 {
      UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
    keyTag = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
    (identityTag, bodyTag, pack, offset) = (word(8), word(12), word(16), word(20))
    (width, height) = (word(24), word(28) & ~Self.metadataBit)
    hasMetadata = word(28) & Self.metadataBit != 0
  }

  func write(to writer: inout ByteWriter) {
    writer.append(keyTag)
    let lastWord = height | (hasMetadata ? Self.metadataBit : 0)
    for word in [identityTag, bodyTag, pack, offset, width, lastWord] { writer.append(word) }
  }
}
