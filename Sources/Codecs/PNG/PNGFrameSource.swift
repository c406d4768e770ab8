import CCodecs
import VitrineGraphics
import VitrineLoading

/// Decodes single frames of an animated PNG. libpng reads each frame from a PNG file that has the frame's size and
/// pixels and the palette of the animation.
final class PNGFrameSource: FrameSource {
  private let structure: PNGStructure
  private let animation: PNGAnimation
  private let bytes: AnimationBytes
  private let format: PixelFormat
  /// The number of rows that libpng reads between two checks for cancellation.
  private static let rowsAtOnce = 16

  init(_ structure: PNGStructure, _ animation: PNGAnimation, _ bytes: AnimationBytes, _ format: PixelFormat) {
    self.structure = structure
    self.animation = animation
    self.bytes = bytes
    self.format = format
  }

  func decodeFrame(
    _ index: Int, cancellation: DecodeCancellation, draw: (_ pixels: UnsafeRawPointer, _ y: Int) -> Void
  ) throws(ImageError) {
    let size = animation.table.frames[index].size
    let file = try file(of: index)
    try file.withUnsafeBufferPointer { (bytes) throws(ImageError) in
      // The checksums of the chunks were verified when they were copied.
      let reader = try PNGReader(bytes, width: size.width, format: format, ignoresChecksums: true)
      let bytesPerRow = size.width * PixelFormat.bytesPerPixel
      let rowsHeld = structure.isInterlaced ? size.height : min(size.height, Self.rowsAtOnce)
      let buffer = PixelBuffer(byteCount: bytesPerRow * rowsHeld)
      defer { withExtendedLifetime(buffer) {} }
      guard let rows = buffer.bytes.baseAddress else { return }
      // An interlaced image has seven passes over all rows, each of which adds pixels.
      for pass in 0..<(structure.isInterlaced ? 7 : 1) {
        for y in stride(from: 0, to: size.height, by: Self.rowsAtOnce) {
          try cancellation.check()
          let count = min(Self.rowsAtOnce, size.height - y)
          let strip = structure.isInterlaced ? rows + y * bytesPerRow : rows
          try reader.read(strip, count: count)
          guard !structure.isInterlaced || pass == 6 else { continue }
          for row in 0..<count { draw(strip + row * bytesPerRow, y + row) }
        }
      }
    }
  }

  /// The number of bytes that the decode of the largest frame allocates.
  var decodingBytes: Int {
    let rows = structure.isInterlaced ? structure.size.height : Self.rowsAtOnce
    return ByteCount.sum(
      animation.largestDataCount, structure.codecBytes,
      ByteCount.product(structure.size.width, rows, PixelFormat.bytesPerPixel))
  }

  /// Returns a PNG file with the pixels of a frame. The checksums are zero.
  private func file(of index: Int) throws(ImageError) -> [UInt8] {
    let size = animation.table.frames[index].size
    var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    // The sides fit in 31 bits, because the frame lies on the canvas, and the canvas is within the limits.
    var header = Self.bytes(UInt32(truncatingIfNeeded: size.width))
    header += Self.bytes(UInt32(truncatingIfNeeded: size.height)) + structure.header.dropFirst(8)
    Self.append(PNGChunk.ihdr, to: &file) { $0 += header }
    for (type, payload) in [(PNGChunk.plte, structure.palette), (PNGChunk.trns, structure.transparency)] {
      guard let payload else { continue }
      try verify(payload, in: bytes.beginning)
      Self.append(type, to: &file) { $0 += payload }
    }
    var pixels: [ArraySlice<UInt8>] = []
    let range = animation.data[index]
    let segment = bytes.segment(at: range.lowerBound)
    var chunks = PNGChunks(segment.bytes, at: range.lowerBound - segment.start)
    while chunks.offset < range.upperBound - segment.start, let chunk = chunks.next() {
      guard chunk.type == PNGChunk.idat || chunk.type == PNGChunk.fdat else { continue }
      try verify(chunk.payload, in: segment.bytes)
      pixels.append(chunk.type == PNGChunk.idat ? chunk.payload : chunk.payload.dropFirst(4))
    }
    let count = pixels.reduce(0) { $0 + $1.count }
    guard count <= Int32.max else { throw .decoding(.png, message: "a frame of more than 2 GiB") }
    file.reserveCapacity(file.count + count + 24)
    Self.append(PNGChunk.idat, to: &file) { file in
      for part in pixels { file += part }
    }
    Self.append(PNGChunk.iend, to: &file) { _ in }
    return file
  }

  /// Throws if the checksum of a chunk is wrong. The type lies before the payload and the checksum behind it.
  private func verify(_ payload: ArraySlice<UInt8>, in bytes: [UInt8]) throws(ImageError) {
    let content = bytes[(payload.startIndex - 4)..<payload.endIndex]
    let sum = content.withUnsafeBufferPointer { content in
      crc32_z(0, content.baseAddress, content.count)
    }
    let stored = bytes[payload.endIndex..<(payload.endIndex + 4)].bigEndianUInt32(at: 0)
    guard sum == UInt(stored) else { throw .decoding(.png, message: "a wrong checksum") }
  }

  private static func append(_ type: UInt32, to file: inout [UInt8], content: (inout [UInt8]) -> Void) {
    let start = file.count
    file += bytes(0) + bytes(type)
    content(&file)
    let length = bytes(UInt32(truncatingIfNeeded: file.count - start - 8))
    file.replaceSubrange(start..<(start + 4), with: length)
    file += bytes(0)
  }

  private static func bytes(_ number: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }
}
