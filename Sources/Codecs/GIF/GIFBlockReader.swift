import VitrineGraphics
import VitrineLoading

/// A cursor over the bytes of a GIF file. Reading beyond the end throws `unexpectedEnd`.
struct GIFBlockReader {
  private let bytes: [UInt8]
  /// The number of bytes before the next byte.
  private(set) var offset: Int

  /// - Parameter offset: The number of bytes to skip; not more than `bytes` has.
  init(_ bytes: [UInt8], at offset: Int = 0) {
    self.bytes = bytes
    self.offset = offset
  }

  /// Returns a reader at the same offset in other bytes.
  func over(_ bytes: [UInt8]) -> GIFBlockReader { GIFBlockReader(bytes, at: offset) }

  static let unexpectedEnd = ImageError.decoding(.gif, message: "the data end early")

  mutating func byte() throws(ImageError) -> UInt8 { try bytes(1)[offset - 1] }

  mutating func uint16() throws(ImageError) -> Int { Int(try bytes(2).littleEndianUInt16(at: 0)) }

  mutating func skip(_ count: Int) throws(ImageError) { _ = try bytes(count) }

  /// Reads a color table of 2 to 256 entries.
  mutating func palette(sizeCode: UInt8) throws(ImageError) -> ArraySlice<UInt8> {
    try bytes(3 << (Int(sizeCode) + 1))
  }

  /// Returns the content of the first sub-block, at most 255 bytes. The reader then stands before the rest of the
  /// chain; before its end if the chain is empty.
  mutating func firstSubBlock() throws(ImageError) -> ArraySlice<UInt8> {
    let count = Int(try byte())
    guard count > 0 else {
      offset -= 1
      return []
    }
    return try bytes(count)
  }

  /// The rest of a chain of sub-blocks.
  struct Chain {
    /// The number of content bytes.
    var byteCount = 0
    /// The offset behind the chain; `nil` if the file ends before the chain.
    var end: Int?
  }

  /// The rest of the chain. An incomplete chain is no error here: the file may lack only its trailer, and missing codes
  /// are found when the content is unpacked.
  var remainingChain: Chain {
    var chain = Chain()
    let end = forEachRemaining { chain.byteCount += $0.count }
    chain.end = end < bytes.count ? end + 1 : nil
    return chain
  }

  /// Returns the joined content of the rest of the chain; `count` is its length in bytes.
  func remainingSubBlocks(count: Int) -> [UInt8] {
    var content: [UInt8] = []
    content.reserveCapacity(count)
    _ = forEachRemaining { content += bytes[$0] }
    return content
  }

  /// Returns the offset of the byte that ends the chain; the number of bytes in the file if there is none.
  private func forEachRemaining(_ body: (Range<Int>) -> Void) -> Int {
    var offset = offset
    while offset < bytes.count, case let count = Int(bytes[offset]), count > 0 {
      let end = min(offset + 1 + count, bytes.count)
      body((offset + 1)..<end)
      offset = end
    }
    return offset
  }

  /// Moves behind a chain that begins at the reader's offset. Throws if the file ends before the chain.
  mutating func skip(_ chain: Chain) throws(ImageError) {
    guard let end = chain.end else { throw Self.unexpectedEnd }
    offset = end
  }

  mutating func skipSubBlocks() throws(ImageError) {
    while case let count = Int(try byte()), count > 0 { try skip(count) }
  }

  private mutating func bytes(_ count: Int) throws(ImageError) -> ArraySlice<UInt8> {
    guard count <= bytes.count - offset else { throw Self.unexpectedEnd }
    offset += count
    return bytes[(offset - count)..<offset]
  }
}
