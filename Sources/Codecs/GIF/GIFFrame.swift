import VitrineGraphics
import VitrineLoading

/// A frame, still compressed.
struct GIFFrame {
  /// The position on the screen. The frame may extend beyond the screen.
  let x: Int
  let y: Int
  let size: PixelSize
  let isInterlaced: Bool
  /// The red, green and blue of each index.
  let palette: ArraySlice<UInt8>
  let control: GIFControl
  /// The number of bits of an index, 1 to 8.
  let minimumCodeSize: Int
  /// The offset of the image descriptor in the file, behind the separator.
  let offset: Int
  /// The codes received so far.
  let chain: GIFBlockReader.Chain
  private let codeReader: GIFBlockReader

  /// Reads an image descriptor. The separator has already been read. The reader then stands before the codes.
  init(
    _ reader: inout GIFBlockReader, globalPalette: ArraySlice<UInt8>?, control: GIFControl
  ) throws(ImageError) {
    offset = reader.offset
    x = try reader.uint16()
    y = try reader.uint16()
    size = PixelSize(width: try reader.uint16(), height: try reader.uint16())
    let flags = try reader.byte()
    let localPalette = flags & 0x80 != 0 ? try reader.palette(sizeCode: flags & 7) : nil
    guard let palette = localPalette ?? globalPalette else {
      throw .decoding(.gif, message: "no palette")
    }
    self.palette = palette
    self.control = control
    isInterlaced = flags & 0x40 != 0
    minimumCodeSize = Int(try reader.byte())
    guard 1...8 ~= minimumCodeSize else { throw .decoding(.gif, message: "unknown code size") }
    guard size.width > 0, size.height > 0 else {
      throw .decoding(.gif, message: "a side of zero pixels")
    }
    codeReader = reader
    chain = reader.remainingChain
  }

  /// The number of bytes of codes received so far.
  var codeCount: Int { chain.byteCount }
  /// The index that stands for a transparent pixel.
  var transparentIndex: UInt8? { control.transparentIndex }

  /// A copy of the codes, joined from their sub-blocks.
  var codes: [UInt8] { codeReader.remainingSubBlocks(count: codeCount) }

  /// True if an index may stand for a transparent pixel: the transparent index, or an index without a color.
  var hasTransparentIndex: Bool { transparentIndex != nil || palette.count < 3 << minimumCodeSize }

  /// Returns the pixel for each of 256 indices; transparent for an index without a color.
  func pixels(_ format: PixelFormat) -> [UInt32] {
    (0..<256).map { index in
      guard index * 3 < palette.count, index != transparentIndex.map(Int.init) else { return 0 }
      let entry = palette.dropFirst(index * 3)
      let red = UInt32(entry[entry.startIndex])
      let green = UInt32(entry[entry.startIndex + 1])
      let blue = UInt32(entry[entry.startIndex + 2])
      let first = format == .rgba ? red : blue
      let third = format == .rgba ? blue : red
      return (first | green << 8 | third << 16 | 0xFF << 24).littleEndian
    }
  }

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
