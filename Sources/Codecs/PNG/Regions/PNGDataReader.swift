import CCodecs
import VitrineGraphics
import VitrineLoading

/// Reads the content of the IDAT chunks of a file, one after another, and verifies their checksums.
final class PNGDataReader {
  /// The number of bytes that are read from the file at a time.
  static let windowBytes = 64 << 10

  /// A place in the content.
  struct Position {
    /// The offset in the file of the next byte: of a chunk's content, or of the next chunk.
    fileprivate var offset: Int
    /// The number of bytes of the chunk that follow.
    fileprivate var left = 0
    /// The checksum of the chunk so far; `nil` before a chunk.
    fileprivate var checksum: UInt?

    /// - Parameter offset: The offset in the file of the first IDAT chunk.
    init(offset: Int) { self.offset = offset }
  }

  private(set) var position: Position
  private let bytes: EncodedBytes
  private let window = PixelBuffer(byteCount: windowBytes, isZeroed: false)
  /// The part of the file that the window has.
  private var windowRange = 0..<0

  init(_ bytes: EncodedBytes, at position: Position) {
    self.bytes = bytes
    self.position = position
  }

  /// Returns the content from the present position on, at least one byte. The bytes are valid until the next call.
  func next() throws(ImageError) -> UnsafeBufferPointer<UInt8> {
    while position.left == 0 { try beginChunk() }
    let start = try load(1)
    return UnsafeBufferPointer(
      start: start, count: min(position.left, windowRange.upperBound - position.offset))
  }

  /// Moves past bytes that `next()` has returned.
  func consume(_ bytes: UnsafeBufferPointer<UInt8>) {
    position.checksum = position.checksum.map { crc32_z($0, bytes.baseAddress, bytes.count) }
    position.left -= bytes.count
    position.offset += bytes.count
  }

  private func beginChunk() throws(ImageError) {
    if let checksum = position.checksum {
      guard try UInt(number(at: load(4))) == checksum else { throw Self.damaged("a wrong checksum") }
      position.offset += 4
      position.checksum = nil
    }
    let head = try load(8)
    guard number(at: head + 4) == PNGChunk.idat else { throw Self.damaged("the pixels end early") }
    position.left = Int(clamping: number(at: head))
    position.checksum = crc32_z(0, head + 4, 4)
    position.offset += 8
  }

  private func number(at start: UnsafePointer<UInt8>) -> UInt32 {
    UInt32(bigEndian: UnsafeRawPointer(start).loadUnaligned(as: UInt32.self))
  }

  /// Returns the address of the byte at the present offset, after which the window has at least `count` bytes.
  private func load(_ count: Int) throws(ImageError) -> UnsafePointer<UInt8> {
    if !windowRange.contains(position.offset) || windowRange.upperBound - position.offset < count {
      var loaded = 0
      while loaded < count {
        let room = UnsafeMutableRawBufferPointer(rebasing: window.bytes[loaded...])
        let added = bytes.read(at: position.offset + loaded, into: room)
        guard added > 0 else { throw Self.damaged("the data end early") }
        loaded += added
      }
      windowRange = position.offset..<(position.offset + loaded)
    }
    let start = UnsafeRawPointer(window.bytes.baseAddress.unsafelyUnwrapped)
    return (start + (position.offset - windowRange.lowerBound)).assumingMemoryBound(to: UInt8.self)
  }

  private static func damaged(_ message: String) -> ImageError { .decoding(.png, message: message) }
}
