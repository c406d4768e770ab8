import VitrineGraphics
import VitrineLoading

/// The blocks of a GIF file up to the end of its first frame (GIF89a specification). The bytes are untrusted.
struct GIFStructure {
  /// The size of the logical screen.
  let screen: PixelSize
  let frame: GIFFrame
  /// The maximum number of padding bytes before the first frame.
  private static let largestPadding = 4096

  init(_ bytes: [UInt8]) throws(ImageError) {
    var reader = GIFBlockReader(bytes)
    try reader.skip(6)
    let screen = PixelSize(width: try reader.uint16(), height: try reader.uint16())
    let flags = try reader.byte()
    try reader.skip(2)
    let globalPalette = flags & 0x80 != 0 ? try reader.palette(sizeCode: flags & 7) : nil
    var transparentIndex: UInt8?
    var paddingCount = 0
    while true {
      switch try reader.byte() {
      case 0x21:
        let graphicControl: UInt8 = 0xF9
        if try reader.byte() == graphicControl {
          // The control block has one sub-block of four bytes. Further sub-blocks are skipped.
          let control = try reader.firstSubBlock()
          if control.count >= 4 {
            transparentIndex = control[control.startIndex] & 1 != 0 ? control[control.startIndex + 3] : nil
          }
        } else {
          try reader.skipSubBlocks()
        }
      case 0x2C:
        frame = try GIFFrame(&reader, globalPalette: globalPalette, transparentIndex: transparentIndex)
        self.screen = screen
        return
      case 0x00:
        // Some writers pad with zeros between blocks.
        paddingCount += 1
        guard paddingCount <= Self.largestPadding else {
          throw .decoding(.gif, message: "more padding than an image has")
        }
      case 0x3B:
        throw .decoding(.gif, message: "no frame")
      default:
        throw .decoding(.gif, message: "an unknown block")
      }
    }
  }
}

/// A frame, still compressed.
struct GIFFrame {
  /// The position on the screen. The frame may extend beyond the screen.
  let x: Int
  let y: Int
  let size: PixelSize
  let isInterlaced: Bool
  /// The red, green and blue of each index.
  let palette: ArraySlice<UInt8>
  let transparentIndex: UInt8?
  /// The number of bits of an index, 1 to 8.
  let minimumCodeSize: Int
  /// The number of bytes of codes received so far.
  let codeCount: Int
  private let codeReader: GIFBlockReader

  /// Reads an image descriptor and the data of the frame. The separator has already been read.
  init(
    _ reader: inout GIFBlockReader, globalPalette: ArraySlice<UInt8>?, transparentIndex: UInt8?
  ) throws(ImageError) {
    x = try reader.uint16()
    y = try reader.uint16()
    size = PixelSize(width: try reader.uint16(), height: try reader.uint16())
    let flags = try reader.byte()
    let localPalette = flags & 0x80 != 0 ? try reader.palette(sizeCode: flags & 7) : nil
    guard let palette = localPalette ?? globalPalette else {
      throw .decoding(.gif, message: "no palette")
    }
    self.palette = palette
    self.transparentIndex = transparentIndex
    isInterlaced = flags & 0x40 != 0
    minimumCodeSize = Int(try reader.byte())
    guard 1...8 ~= minimumCodeSize else { throw .decoding(.gif, message: "unknown code size") }
    guard size.width > 0, size.height > 0 else {
      throw .decoding(.gif, message: "a side of zero pixels")
    }
    codeReader = reader
    codeCount = reader.remainingByteCount
  }

  /// A copy of the codes, joined from their sub-blocks.
  var codes: [UInt8] { codeReader.remainingSubBlocks(count: codeCount) }

  /// The order in which rows arrive: from the top, or for an interlaced frame in four passes, of every eighth, eighth,
  /// fourth and second row.
  var rowOrder: [Int] {
    guard isInterlaced else { return Array(0..<size.height) }
    let passes = [(0, 8), (4, 8), (2, 4), (1, 2)]
    return passes.flatMap { Array(stride(from: $0.0, to: size.height, by: $0.1)) }
  }

  /// Returns, for each row of the frame, the position in `rowOrder` of the row to show after `count` rows have arrived:
  /// its own, or for an interlaced frame the nearest received row above in its block of rows; `nil` if there is none.
  func rowsToShow(of count: Int) -> [Int?] {
    var arrivals = [Int?](repeating: nil, count: size.height)
    for (arrival, row) in rowOrder.prefix(count).enumerated() { arrivals[row] = arrival }
    guard isInterlaced, count < size.height else { return arrivals }
    return arrivals.indices.map { row in
      arrivals[row] ?? arrivals[row & ~1] ?? arrivals[row & ~3] ?? arrivals[row & ~7]
    }
  }
}

/// A cursor over the bytes of a GIF file. Reading beyond the end throws `unexpectedEnd`.
struct GIFBlockReader {
  private let bytes: [UInt8]
  private var offset = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  static let unexpectedEnd = ImageError.decoding(.gif, message: "the data end early")

  mutating func byte() throws(ImageError) -> UInt8 { try bytes(1)[offset - 1] }

  mutating func uint16() throws(ImageError) -> Int { Int(try bytes(2).littleEndianUInt16(at: 0)) }

  mutating func skip(_ count: Int) throws(ImageError) { _ = try bytes(count) }

  /// Reads a color table of 2 to 256 entries.
  mutating func palette(sizeCode: UInt8) throws(ImageError) -> ArraySlice<UInt8> {
    try bytes(3 << (Int(sizeCode) + 1))
  }

  /// Returns the content of the first sub-block, at most 255 bytes, and skips the rest of the chain.
  mutating func firstSubBlock() throws(ImageError) -> ArraySlice<UInt8> {
    let count = Int(try byte())
    guard count > 0 else { return [] }
    let content = try bytes(count)
    try skipSubBlocks()
    return content
  }

  /// The number of content bytes in the rest of the chain. An incomplete chain is no error here: the file may lack only
  /// its trailer, and missing codes are found when the content is unpacked.
  var remainingByteCount: Int {
    var sum = 0
    forEachRemaining { sum += $0.count }
    return sum
  }

  /// Returns the joined content of the rest of the chain; `count` is its length in bytes.
  func remainingSubBlocks(count: Int) -> [UInt8] {
    var content: [UInt8] = []
    content.reserveCapacity(count)
    forEachRemaining { content += $0 }
    return content
  }

  private func forEachRemaining(_ body: (ArraySlice<UInt8>) -> Void) {
    var offset = offset
    while offset < bytes.count, case let count = Int(bytes[offset]), count > 0 {
      let end = min(offset + 1 + count, bytes.count)
      body(bytes[(offset + 1)..<end])
      offset = end
    }
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
