import VitrineGraphics
import VitrineLoading

/// Converts some columns of stored rows to pixels: writes a PNG of a few rows and these columns, from which libpng
/// reads pixels as from the whole image.
struct PNGStrip {
  /// The largest number of bytes of a stored block (RFC 1951, 3.2.4).
  private static let largestBlock = 65_535

  private let width: Int
  private let columnBytes: Int
  /// The place of the first column in a row: a byte, and a bit in it.
  private let first: (byte: Int, bit: Int)
  /// The index of the last byte of a row.
  private let lastByte: Int
  private let header: ArraySlice<UInt8>
  private let palette: [UInt8]
  private var file: [UInt8] = []
  /// The index in `file` of the type of the data chunk, from which its checksum begins.
  private var dataStart = 0

  init(_ outline: PNGOutline, columns: Range<Int>) {
    let bits = outline.structure.bitsPerPixel
    width = columns.count
    columnBytes = (columns.count * bits + 7) / 8
    first = (columns.lowerBound * bits / 8, columns.lowerBound * bits % 8)
    lastByte = (outline.structure.size.width * bits + 7) / 8 - 1
    header = outline.structure.header
    palette = outline.palette
  }

  /// Returns the number of bytes of a strip.
  static func byteCount(width: Int, bitsPerPixel: Int, rows: Int, palette: Int) -> Int {
    let row = ByteCount.product(width, bitsPerPixel) / 8
    // The head of a block for each 65,535 bytes, and the capacity of a growing array.
    return ByteCount.product(
      2, ByteCount.sum(ByteCount.product(rows, ByteCount.sum(row, row / 8192, 8)), palette, 128))
  }

  /// Begins a strip of `count` rows, all of which must be added.
  mutating func begin(_ count: Int) {
    file.removeAll(keepingCapacity: true)
    file += [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    add(UInt32(header.count))
    let headerStart = file.count
    add(PNGChunk.ihdr)
    add(UInt32(truncatingIfNeeded: width))
    // libpng does not look for the end of the data before the last row, which is missing.
    add(UInt32(truncatingIfNeeded: count + 1))
    file += header.dropFirst(8)
    add(PNGOutline.checksum(file[headerStart...]))
    file += palette
    let blocks = (columnBytes + 1 + Self.largestBlock - 1) / Self.largestBlock
    add(UInt32(truncatingIfNeeded: 2 + count * (columnBytes + 1 + 5 * blocks)))
    dataStart = file.count
    add(PNGChunk.idat)
    // The head of a zlib stream.
    file += [0x78, 0x01]
  }

  /// Adds the columns of a row, without a filter.
  mutating func add(_ row: UnsafePointer<UInt8>) {
    var left = columnBytes + 1
    var index = -1
    while left > 0 {
      let length = min(left, Self.largestBlock)
      let (low, high) = (UInt8(length & 255), UInt8(length >> 8))
      file += [0, low, high, ~low, ~high]
      var end = index + length
      if index < 0 {
        file.append(0)
        index = 0
      }
      end = min(end, columnBytes)
      addBytes(row, index..<end)
      index = end
      left -= length
    }
  }

  private mutating func addBytes(_ row: UnsafePointer<UInt8>, _ range: Range<Int>) {
    if first.bit == 0 {
      file += UnsafeBufferPointer(start: row + first.byte + range.lowerBound, count: range.count)
      return
    }
    for index in range {
      let place = first.byte + index
      let next = place < lastByte ? row[place + 1] : 0
      file.append(row[place] << first.bit | next >> (8 - first.bit))
    }
  }

  /// Writes the pixels of all rows to `pixels`, without gaps.
  mutating func convert(
    count: Int, to pixels: UnsafeMutableRawPointer, format: PixelFormat, bytesPerPixel: Int
  ) throws(ImageError) {
    add(PNGOutline.checksum(file[dataStart...]))
    try file.withUnsafeBufferPointer { (bytes) throws(ImageError) in
      let reader = try PNGReader(bytes, width: width, format: format, bytesPerPixel: bytesPerPixel)
      try reader.read(pixels, count: count)
    }
  }

  private mutating func add(_ number: UInt32) {
    for shift in [24, 16, 8, 0] as [UInt32] { file.append(UInt8(truncatingIfNeeded: number >> shift)) }
  }
}
