/// A chunk of a PNG file.
struct PNGChunk {
  /// The four letters of the type.
  let type: UInt32
  let payload: ArraySlice<UInt8>

  static let ihdr: UInt32 = 0x4948_4452
  static let plte: UInt32 = 0x504C_5445
  static let idat: UInt32 = 0x4944_4154
  static let trns: UInt32 = 0x7452_4E53
  static let iccp: UInt32 = 0x6943_4350
  static let exif: UInt32 = 0x6558_4966
  static let iend: UInt32 = 0x4945_4E44
  /// The animation control chunk.
  static let actl: UInt32 = 0x6163_544C
  /// The frame control chunk.
  static let fctl: UInt32 = 0x6663_544C
  /// The frame data chunk.
  static let fdat: UInt32 = 0x6664_4154
}

/// A reader of the chunks of a PNG file that lie completely within the received bytes. Checksums are not verified.
struct PNGChunks {
  private let bytes: [UInt8]
  /// The offset in the file of the next chunk.
  private(set) var offset: Int

  /// - Parameter offset: The offset of a chunk; by default that of the first chunk.
  init(_ bytes: [UInt8], at offset: Int = 8) {
    self.bytes = bytes
    self.offset = offset
  }

  /// Returns the next chunk; `nil` if the bytes end before the end of the chunk.
  mutating func next() -> PNGChunk? {
    guard let type = nextType, offset + 12 <= bytes.count else { return nil }
    let length = bytes[offset..<(offset + 4)].bigEndianCount(at: 0)
    guard length <= bytes.count - offset - 12 else { return nil }
    defer { offset += 12 + length }
    return PNGChunk(type: type, payload: bytes[(offset + 8)..<(offset + 8 + length)])
  }

  /// The error message if there is no next chunk.
  var ending: String { offset + 12 <= bytes.count ? "ends inside a chunk" : "ends before IEND" }

  /// The type of the next chunk, once received.
  var nextType: UInt32? {
    guard offset + 8 <= bytes.count else { return nil }
    return bytes[(offset + 4)..<(offset + 8)].bigEndianUInt32(at: 0)
  }
}
