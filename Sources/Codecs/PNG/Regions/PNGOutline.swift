import CCodecs
import VitrineGraphics
import VitrineLoading

/// The chunks of a still PNG that is decoded by rows, without its pixels.
struct PNGOutline {
  /// The largest content of a chunk that is read: that of a color profile, and as much again for metadata.
  private static let largestContent = 8 << 20
  /// The largest content of a palette chunk.
  private static let largestPalette = 768
  /// The largest number of palette and transparency chunks: two in a valid file.
  private static let largestPaletteCount = 8

  private(set) var structure: PNGStructure
  /// The offset in the file of the first IDAT chunk.
  private(set) var dataOffset = 0
  /// The PLTE and tRNS chunks before the pixels as they are in the file, with their checksums.
  private(set) var palette: [UInt8] = []
  private var paletteCount = 0

  /// Throws `.notSupported` for an image that is decoded only as a whole: interlaced, animated, or unusual. Throws
  /// `.decoding` for a file that `PNGDecoder` refuses because of its chunks.
  init(_ bytes: EncodedBytes) throws(RegionError) {
    let start = bytes.prefix(33)
    var chunks = PNGChunks(start)
    guard let header = chunks.next() else { throw Self.damaged(chunks.ending) }
    do throws(ImageError) {
      structure = try PNGStructure(header: header)
    } catch {
      throw .image(error)
    }
    guard structure.isReadByRows, start[29...].bigEndianUInt32(at: 0) == Self.checksum(start[12..<29]) else {
      throw .notSupported
    }
    var offset = chunks.offset
    var count = 0
    while true {
      let head = bytes.read(at: offset, count: 8)
      guard head.count == 8, offset + 12 <= bytes.count else { throw Self.damaged("ends before IEND") }
      let length = head[...].bigEndianCount(at: 0)
      guard length <= bytes.count - offset - 12 else { throw Self.damaged("ends inside a chunk") }
      let type = head[...].bigEndianUInt32(at: 4)
      if type == PNGChunk.iend { break }
      try take(type, length, at: offset, of: bytes)
      offset += 12 + length
      count += 1
      guard count <= PNGStructure.largestChunkCount else {
        throw Self.damaged("more chunks than an image has")
      }
    }
    guard dataOffset > 0 else { throw Self.damaged("no pixels") }
  }

  private mutating func take(
    _ type: UInt32, _ length: Int, at offset: Int, of bytes: EncodedBytes
  ) throws(RegionError) {
    switch type {
    case PNGChunk.idat:
      if dataOffset == 0 { dataOffset = offset }
      structure.addData(length)
    case PNGChunk.actl:
      // An animation control chunk after the pixels does not count.
      guard dataOffset > 0 else { throw .notSupported }
    case PNGChunk.plte, PNGChunk.trns, PNGChunk.iccp, PNGChunk.exif:
      let isPalette = dataOffset == 0 && (type == PNGChunk.plte || type == PNGChunk.trns)
      guard length <= (isPalette ? Self.largestPalette : Self.largestContent) else { throw .notSupported }
      let chunk = bytes.read(at: offset, count: 12 + length)
      guard chunk.count == 12 + length else { throw Self.damaged("ends inside a chunk") }
      structure.apply(PNGChunk(type: type, payload: chunk[8..<(8 + length)]))
      guard isPalette else { return }
      palette += chunk
      paletteCount += 1
      guard paletteCount <= Self.largestPaletteCount else { throw .notSupported }
    default: break
    }
  }

  /// The number of bytes of the chunks that are kept.
  var byteCount: Int { ByteCount.sum(palette.count, structure.chunkBytes) }

  static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.withUnsafeBufferPointer { UInt32(truncatingIfNeeded: crc32_z(0, $0.baseAddress, $0.count)) }
  }

  private static func damaged(_ message: String) -> RegionError { .image(.decoding(.png, message: message)) }
}
