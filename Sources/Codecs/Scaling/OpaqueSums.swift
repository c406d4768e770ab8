import VitrineGraphics

/// The sums of an `AreaScaler` for an opaque image.
///
/// Whole rows are summed as integers of 16 bits, of which a vector holds twice as many as of floats. Fractions of rows,
/// at most two per output row, are summed as floats.
struct OpaqueSums: RowSums {
  /// The number of rows of 255 whose sum fits 16 bits.
  private static let largestWholeRowCount = 257
  /// The number of source rows per output row from which on whole rows are summed as integers: adding these sums to the
  /// others takes as long as adding a row of floats.
  private static let rowsWorthIntegers = 4.0

  private let spans: [AreaScaler.Span]
  /// The number of samples per source pixel.
  private let samplesPerPixel: Int
  private let memory: PixelBuffer
  /// A sum per sample of a source row. One more pixel follows, of which the last column reads a part.
  private let sums: UnsafeMutableBufferPointer<Float>
  /// The sums of whole rows; empty if output rows cover few rows.
  private let wholeRows: UnsafeMutableBufferPointer<UInt16>
  /// The number of rows in `wholeRows`.
  private var wholeRowCount = 0
  /// True if `sums` has a part of the current output row.
  private var hasSums = false
  /// The number of source rows in the current output row, including fractions.
  private var rowsSummed: Float = 0

  /// - Parameter rowsPerRow: The number of source rows per output row.
  init(_ spans: [AreaScaler.Span], _ source: Canvas.Source, rowsPerRow: Double) {
    self.spans = spans
    samplesPerPixel = source.bytesPerPixel
    let count = source.bytesPerRow
    let sumBytes = (count + PixelFormat.bytesPerPixel) * MemoryLayout<Float>.stride
    let wholeRowBytes = rowsPerRow >= Self.rowsWorthIntegers ? count * MemoryLayout<UInt16>.stride : 0
    memory = PixelBuffer(byteCount: sumBytes + wholeRowBytes)
    sums = UnsafeMutableBufferPointer(
      rebasing: UnsafeMutableRawBufferPointer(rebasing: memory.bytes[..<sumBytes])
        .bindMemory(to: Float.self)[..<count])
    wholeRows = UnsafeMutableRawBufferPointer(rebasing: memory.bytes[sumBytes...])
      .bindMemory(to: UInt16.self)
  }

  mutating func add(_ row: UnsafePointer<UInt8>, weight: Float, of rows: Float) {
    let isWhole = weight > 0.9999
    if isWhole, !wholeRows.isEmpty { addWhole(row) } else { addFloats(row, weight: weight) }
    rowsSummed += weight
  }

  private mutating func addWhole(_ row: UnsafePointer<UInt8>) {
    if wholeRowCount == Self.largestWholeRowCount { addWholeRowsToSums() }
    let rows = wholeRows.baseAddress.unsafelyUnwrapped
    let count = wholeRows.count
    if wholeRowCount == 0 {
      for index in 0..<count { rows[index] = UInt16(row[index]) }
    } else {
      for index in 0..<count { rows[index] &+= UInt16(row[index]) }
    }
    wholeRowCount += 1
  }

  private mutating func addWholeRowsToSums() {
    guard wholeRowCount > 0 else { return }
    let sums = sums.baseAddress.unsafelyUnwrapped
    let rows = wholeRows.baseAddress.unsafelyUnwrapped
    let count = wholeRows.count
    if hasSums {
      for index in 0..<count { sums[index] += Float(rows[index]) }
    } else {
      for index in 0..<count { sums[index] = Float(rows[index]) }
    }
    hasSums = true
    wholeRowCount = 0
  }

  private mutating func addFloats(_ row: UnsafePointer<UInt8>, weight: Float) {
    let sums = sums.baseAddress.unsafelyUnwrapped
    let count = self.sums.count
    if hasSums {
      for index in 0..<count { sums[index] += Float(row[index]) * weight }
    } else {
      for index in 0..<count { sums[index] = Float(row[index]) * weight }
    }
    hasSums = true
  }

  mutating func finish(_ output: UnsafeMutablePointer<UInt8>) {
    addWholeRowsToSums()
    let sums = UnsafeRawPointer(self.sums.baseAddress.unsafelyUnwrapped)
    let target = UnsafeMutableRawPointer(output)
    let rowFactor = 1 / rowsSummed
    let step = samplesPerPixel * MemoryLayout<Float>.stride
    // With three samples, the fourth is that of the next pixel, and is not used.
    func pixel(_ index: Int) -> SIMD4<Float> {
      sums.loadUnaligned(fromByteOffset: index &* step, as: SIMD4.self)
    }
    spans.withUnsafeBufferPointer { spans in
      for column in spans.indices {
        let span = spans[column]
        var sum = pixel(span.first) * span.firstWeight
        if span.last > span.first {
          for index in (span.first + 1)..<span.last { sum += pixel(index) }
          sum += pixel(span.last) * span.lastWeight
        }
        let bytes = UInt32(packing: sum * (span.factor * rowFactor)) | .opaqueAlpha
        target.storeBytes(of: bytes, toByteOffset: column &* 4, as: UInt32.self)
      }
    }
    hasSums = false
    rowsSummed = 0
  }
}
