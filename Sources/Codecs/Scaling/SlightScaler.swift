import VitrineGraphics

/// The sums of an `AreaScaler` for an opaque image of which each output pixel covers at most three rows and columns, as in
/// most images that are scaled to more than half.
///
/// Numbers have 16 bits, the lower 8 of which are a fraction, so that a vector instruction handles eight of them. A
/// pixel differs by at most 1.5 from the exact mean.
struct SlightScaler: RowSums {
  /// The largest number of source rows that an output row covers.
  private static let largestRowCount = 3.0

  /// Half of a step in 256ths, and what the three products of taps lose on average: half of a 256th each.
  private static let rounding: UInt16 = 130

  /// The weights of all output pixels.
  private let taps: [ColumnTaps]
  private let width: Int
  /// The number of bytes of the sums of a source pixel.
  private let bytesPerPixel: Int
  private let memory: PixelBuffer
  /// A sum per sample of a source row, in 256ths, for the current output row.
  private let sums: UnsafeMutableBufferPointer<UInt16>
  /// The fraction of the current output row that the rows so far cover, as a number and in 256ths.
  private var covered: (exact: Float, rounded: UInt16) = (0, 0)
  /// True if no source row was added to the current output row.
  private var isAtStart = true

  /// Returns `nil` if an output pixel covers more than three rows or columns.
  ///
  /// - Parameter rowsPerRow: The number of source rows per output row.
  init?(_ spans: [AreaScaler.Span], _ source: Canvas.Source, rowsPerRow: Double) {
    guard rowsPerRow <= Self.largestRowCount else { return nil }
    let bytesPerPixel = source.bytesPerPixel * MemoryLayout<UInt16>.stride
    guard let taps = ColumnTaps.pairs(spans, bytesPerPixel: bytesPerPixel) else { return nil }
    width = spans.count
    self.bytesPerPixel = bytesPerPixel
    self.taps = taps
    memory = PixelBuffer(byteCount: (source.size.width + ColumnTaps.pixelsAfter) * bytesPerPixel)
    let sumBytes = UnsafeMutableRawBufferPointer(
      rebasing: memory.bytes[..<(source.size.width * bytesPerPixel)])
    sums = sumBytes.bindMemory(to: UInt16.self)
  }

  mutating func add(_ row: UnsafePointer<UInt8>, weight: Float, of rows: Float) {
    covered.exact = min(covered.exact + weight / max(rows, weight), 1)
    let upTo = UInt16((covered.exact * 256).rounded())
    let part = upTo - covered.rounded
    covered.rounded = upTo
    let sums = sums.baseAddress.unsafelyUnwrapped
    let count = self.sums.count
    if isAtStart {
      for index in 0..<count { sums[index] = UInt16(row[index]) &* part }
    } else if part > 0 {
      for index in 0..<count { sums[index] &+= UInt16(row[index]) &* part }
    }
    isAtStart = false
  }

  mutating func finish(_ output: UnsafeMutablePointer<UInt8>) {
    let sums = UnsafeRawPointer(self.sums.baseAddress.unsafelyUnwrapped)
    let target = UnsafeMutableRawPointer(output)
    let bytesPerPixel = bytesPerPixel
    taps.withUnsafeBufferPointer { taps in
      func pixels(_ pair: Int) -> UInt64 {
        taps[pair].pixels(sums, bytesPerPixel: bytesPerPixel, rounding: Self.rounding)
      }
      let pairs = width / 2
      for pair in 0..<pairs { target.storeBytes(of: pixels(pair), toByteOffset: pair &* 8, as: UInt64.self) }
      guard pairs < taps.count else { return }
      let last = UInt32(truncatingIfNeeded: UInt64(littleEndian: pixels(pairs)))
      target.storeBytes(of: last.littleEndian, toByteOffset: pairs &* 8, as: UInt32.self)
    }
    covered = (0, 0)
    isAtStart = true
  }
}
