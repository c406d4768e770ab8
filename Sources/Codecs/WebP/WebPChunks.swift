/// The chunks of a WebP file (RIFF), or of a frame, read from their headers. Chunks inside of frames are not visited.
struct WebPChunks: Sequence, IteratorProtocol {
  enum Kind: String {
    /// A frame of an animation: the frame's header and chunks.
    case frame = "ANMF"
    /// The alpha of lossy pixels.
    case alpha = "ALPH"
    case lossy = "VP8 "
    case lossless = "VP8L"
  }

  struct Chunk {
    /// The kind; `nil` for any other name.
    let kind: Kind?
    /// The range in the file, with the header and without the padding byte. Ends with the bytes if the chunk is
    /// truncated.
    let range: Range<Int>
    let isComplete: Bool

    /// The range of the content.
    var payload: Range<Int> { (range.lowerBound + 8)..<range.upperBound }
  }

  private let bytes: UnsafeBufferPointer<UInt8>
  /// The offset of the next chunk.
  private(set) var offset: Int
  private let end: Int

  /// Reads the chunks of a file, up to the end that its signature states. `bytes` must outlive the value.
  ///
  /// - Parameter offset: The offset of a chunk; by default that of the first chunk.
  init(_ bytes: UnsafeBufferPointer<UInt8>, at offset: Int = signatureLength) {
    let size = bytes.count < Self.signatureLength ? 0 : Self.number(at: 4, of: bytes)
    self.bytes = bytes
    self.offset = offset
    end = Swift.min(bytes.count, Int(clamping: UInt64(size) + 8))
  }

  /// The number of bytes before the first chunk.
  static let signatureLength = 12

  /// Reads the chunks in a part of a file. `bytes` must outlive the value.
  init(_ bytes: UnsafeBufferPointer<UInt8>, in part: Range<Int>) {
    self.bytes = bytes
    offset = part.lowerBound
    end = part.upperBound
  }

  /// True if a file has as many bytes as its signature states.
  static func hasAllBytes(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    bytes.count >= 12 && number(at: 4, of: bytes) <= bytes.count - 8
  }

  /// Returns the next chunk; the last chunk may be truncated. Its padding byte need not be there.
  mutating func next() -> Chunk? {
    guard offset <= end - 8 else { return nil }
    let start = offset
    let length = Self.number(at: start + 4, of: bytes)
    let isComplete = length <= end - start - 8
    let last = isComplete ? start + 8 + Int(length) : end
    offset = isComplete ? last + Int(length & 1) : end
    let kind = Kind(rawValue: String(decoding: bytes[start..<start + 4], as: UTF8.self))
    return Chunk(kind: kind, range: start..<last, isComplete: isComplete)
  }

  /// Returns a number of four bytes, least significant byte first.
  private static func number(at offset: Int, of bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
    (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[offset + $1]) << UInt32(8 * $1) }
  }
}
