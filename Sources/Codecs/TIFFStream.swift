/// A TIFF stream (TIFF 6.0, section 2), the form of Exif. Reads numbers in the stream's byte order; `nil` outside of the
/// bytes, which are untrusted.
struct TIFFStream {
  private static let headerLength = 8
  private let bytes: ArraySlice<UInt8>
  private let isBigEndian: Bool

  init?(_ bytes: ArraySlice<UInt8>) {
    if bytes.starts(with: [0x49, 0x49, 0x2A, 0]) {
      isBigEndian = false
    } else if bytes.starts(with: [0x4D, 0x4D, 0, 0x2A]) {
      isBigEndian = true
    } else {
      return nil
    }
    self.bytes = bytes
  }

  /// The offset of the first directory; `nil` if there is none within the bytes.
  var firstDirectory: Int? { directoryOffset(at: 4) }

  /// Returns the directory at an offset; `nil` if there is none.
  func directory(at offset: Int?) -> Directory? {
    guard let offset, let count = uint16(at: offset) else { return nil }
    return Directory(stream: self, offset: offset, count: Int(count))
  }

  /// Reads an offset of a directory; `nil` for 0, which stands for none, and for one outside of the bytes, so that sums
  /// of offsets stay small.
  fileprivate func directoryOffset(at position: Int) -> Int? {
    guard let offset = uint32(at: position).map({ Int(clamping: $0) }), offset >= Self.headerLength,
      offset < bytes.count
    else { return nil }
    return offset
  }

  /// A directory of a stream: entries of twelve bytes, sorted by tag in most files.
  struct Directory {
    private static let entryLength = 12
    private static let shortType: UInt16 = 3
    private static let longType: UInt16 = 4
    /// ASCII, and UTF-8 of Exif 3.0.
    private static let textTypes: Set<UInt16> = [2, 129]

    fileprivate let stream: TIFFStream
    fileprivate let offset: Int
    fileprivate let count: Int

    /// The offset of the next directory; `nil` if there is none within the bytes. Directories may form a cycle.
    var next: Int? { stream.directoryOffset(at: offset + 2 + count * Self.entryLength) }

    /// Returns the first number of 16 bits with a tag; `nil` if the first entry with the tag has another type.
    func short(_ tag: UInt16) -> UInt16? {
      guard let entry = entry(tag), stream.uint16(at: entry + 2) == Self.shortType else { return nil }
      return stream.uint16(at: entry + 8)
    }

    /// Returns the first number of 16 or 32 bits with a tag.
    func number(_ tag: UInt16) -> Int? {
      if let short = short(tag) { return Int(short) }
      guard let entry = entry(tag), stream.uint16(at: entry + 2) == Self.longType else { return nil }
      return stream.uint32(at: entry + 8).map { Int(clamping: $0) }
    }

    /// Returns the first bytes of a text, at most `limit`, without the zero that ends the text; `nil` if there are none.
    func text(_ tag: UInt16, limit: Int) -> ArraySlice<UInt8>? {
      guard let entry = entry(tag), let type = stream.uint16(at: entry + 2), Self.textTypes.contains(type),
        let count = stream.uint32(at: entry + 4).map({ Int(clamping: $0) }), count > 0
      else { return nil }
      // Up to four bytes stand in the entry itself.
      let offset = count > 4 ? stream.uint32(at: entry + 8).map { Int(clamping: $0) } : entry + 8
      return offset.flatMap { stream.slice(at: $0, count: min(count, limit)) }?.prefix { $0 != 0 }
    }

    private func entry(_ tag: UInt16) -> Int? {
      for index in 0..<count {
        let entry = offset + 2 + index * Self.entryLength
        guard let found = stream.uint16(at: entry) else { return nil }
        if found == tag { return entry }
      }
      return nil
    }
  }

  func uint16(at offset: Int) -> UInt16? {
    guard let pair = slice(at: offset, count: 2) else { return nil }
    return isBigEndian ? pair.bigEndianUInt16(at: 0) : pair.littleEndianUInt16(at: 0)
  }

  func uint32(at offset: Int) -> UInt32? {
    guard let four = slice(at: offset, count: 4) else { return nil }
    return isBigEndian ? four.bigEndianUInt32(at: 0) : four.littleEndianUInt32(at: 0)
  }

  /// Returns a part of the bytes; `nil` if it is not within the bytes.
  func slice(at offset: Int, count: Int) -> ArraySlice<UInt8>? {
    guard offset >= 0, count >= 0, count <= bytes.count, offset <= bytes.count - count else { return nil }
    return bytes.dropFirst(offset).prefix(count)
  }
}
