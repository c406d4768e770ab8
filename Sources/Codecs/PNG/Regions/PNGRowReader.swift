import VitrineGraphics
import VitrineLoading

/// Reads the rows of a PNG that is not interlaced, as they are stored: without their filters, and without conversion to
/// pixels.
final class PNGRowReader {
  /// The bytes of a row, valid until the next row is read.
  typealias Row = UnsafePointer<UInt8>

  /// The number of bytes of a row, and the distance in bytes to the pixel to the left, at least 1.
  struct Layout {
    let rowBytes: Int
    let distance: Int

    init(width: Int, bitsPerPixel: Int) {
      rowBytes = (width * bitsPerPixel + 7) / 8
      distance = max(1, bitsPerPixel / 8)
    }

    /// The number of bytes that a reader allocates.
    var readerBytes: Int {
      ByteCount.sum(Inflater.byteCount, PNGDataReader.windowBytes, rowBytes, rowBytes, 2 * PNGFilter.padding)
    }
  }

  /// The number of the next row.
  private(set) var row: Int
  private let layout: Layout
  private let inflater: Inflater
  private let data: PNGDataReader
  private var current: PixelBuffer
  private var above: PixelBuffer

  /// Begins at the first row.
  ///
  /// - Parameter offset: The offset in the file of the first IDAT chunk.
  init(_ bytes: EncodedBytes, _ layout: Layout, dataOffset offset: Int) throws(ImageError) {
    guard let inflater = Inflater() else { throw Self.outOfMemory }
    self.inflater = inflater
    self.layout = layout
    data = PNGDataReader(bytes, at: PNGDataReader.Position(offset: offset))
    current = PixelBuffer(byteCount: PNGFilter.padding + layout.rowBytes)
    above = PixelBuffer(byteCount: PNGFilter.padding + layout.rowBytes)
    row = 0
  }

  /// Goes on from a point.
  init(_ bytes: EncodedBytes, _ layout: Layout, from point: PNGRowPoint) throws(ImageError) {
    guard let inflater = Inflater(copying: point.inflater) else { throw Self.outOfMemory }
    self.inflater = inflater
    self.layout = layout
    data = PNGDataReader(bytes, at: point.position)
    current = PixelBuffer(byteCount: PNGFilter.padding + layout.rowBytes)
    above = PixelBuffer(byteCount: PNGFilter.padding + layout.rowBytes)
    above.bytes.copyMemory(from: UnsafeRawBufferPointer(point.above.bytes))
    row = point.row
  }

  /// Returns the point before the next row; `nil` if memory is short.
  func point() -> PNGRowPoint? {
    guard let inflater = Inflater(copying: inflater) else { return nil }
    let copy = PixelBuffer(byteCount: above.bytes.count, isZeroed: false)
    copy.bytes.copyMemory(from: UnsafeRawBufferPointer(above.bytes))
    return PNGRowPoint(row: row, inflater: inflater, position: data.position, above: copy)
  }

  /// Reads the next row.
  func next() throws(ImageError) -> Row {
    let start = current.bytes.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt8.self)
    let (row, filterByte) = (start + PNGFilter.padding, start + PNGFilter.padding - 1)
    try fill(UnsafeMutableBufferPointer(start: filterByte, count: layout.rowBytes + 1))
    guard let filter = PNGFilter(rawValue: filterByte.pointee) else {
      throw .decoding(.png, message: "an unknown filter")
    }
    // Counts as a part of the pixel before the first one.
    filterByte.pointee = 0
    let before = above.bytes.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt8.self)
    filter.undo(row, above: before + PNGFilter.padding, count: layout.rowBytes, distance: layout.distance)
    swap(&current, &above)
    self.row += 1
    return UnsafePointer(row)
  }

  /// Decompresses as many bytes as there is room for.
  private func fill(_ room: UnsafeMutableBufferPointer<UInt8>) throws(ImageError) {
    var filled = 0
    while filled < room.count {
      let input = try data.next()
      let step = inflater.inflate(input, to: UnsafeMutableBufferPointer(rebasing: room[filled...]))
      data.consume(UnsafeBufferPointer(rebasing: input[..<step.consumed]))
      filled += step.produced
      // The last row may be followed by the end of the stream.
      guard step.isSound || filled == room.count else {
        throw .decoding(.png, message: "the compressed pixels are damaged")
      }
    }
  }

  private static var outOfMemory: ImageError { .decoding(.png, message: "out of memory") }
}

/// The state of a reader before a row, from which other readers go on. Used by any number of threads.
///
/// Unchecked: the bytes of the row are not changed.
final class PNGRowPoint: @unchecked Sendable {
  let row: Int
  let inflater: Inflater
  let position: PNGDataReader.Position
  /// The row above, with the zeros before it.
  let above: PixelBuffer

  init(row: Int, inflater: Inflater, position: PNGDataReader.Position, above: PixelBuffer) {
    self.row = row
    self.inflater = inflater
    self.position = position
    self.above = above
  }
}
