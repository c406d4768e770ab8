import VitrineGraphics

/// Scales an image down while its rows arrive: each output pixel is the mean of the area that it covers.
///
/// Rows are summed first, at the source width, where neighboring bytes are independent and the compiler can use vector
/// instructions; columns are summed once per output row. Colors are weighted by alpha, so that the colors of
/// transparent pixels do not bleed into visible edges. Keeps one row of sums in memory.
struct AreaScaler: ~Copyable {
  private let canvas: Canvas
  private let hasAlpha: Bool
  /// The number of source pixels per output pixel, at least 1.
  private let step: (x: Double, y: Double)
  /// The number of source rows by which the canvas begins above the source.
  private let rowsBefore: Double
  private let spans: [Span]
  /// The sums in place of `sums`, if the image is opaque and scaled down little.
  private var slight: SlightScaler?
  private let memory: PixelBuffer
  /// Four sums per source pixel, for the current output row.
  private let sums: UnsafeMutableBufferPointer<Float>
  /// True if `sums` has a part of the current output row.
  private var hasSums = false
  /// The sums of whole rows whose pixels are all opaque, for the current output row: vectors of small integers take half
  /// the time. Empty if output rows cover few rows.
  private let wholeRows: UnsafeMutableBufferPointer<UInt16>
  /// The number of rows in `wholeRows`.
  private var wholeRowCount = 0
  private let output: UnsafeMutableBufferPointer<UInt8>
  private let swapsRedAndBlue: Bool
  private let height: Int
  private var y = 0
  /// The number of finished rows of the canvas.
  private(set) var outputY = 0
  /// The number of source rows in `sums`, including fractions.
  private var rowsSummed: Float = 0

  /// The number of rows of 255 whose sum has room in 16 bits.
  private static let largestWholeRowCount = 257
  /// The number of source rows per output row from which on whole rows are summed apart: adding their sums to the others
  /// takes as long as a row.
  private static let rowsWorthSummingApart = 4.0

  /// The source columns that an output column covers.
  struct Span {
    var first, last: Int
    /// The weights of the first and of the last column; columns between them have the weight 1.
    var firstWeight: Float
    var lastWeight: Float
    /// 1 divided by the number of columns covered.
    var factor: Float
  }

  /// - Precondition: The source is at least as wide and as high as the canvas.
  init(_ source: Canvas.Source, to canvas: Canvas) {
    precondition(
      source.size.width >= canvas.size.width && source.size.height >= canvas.size.height,
      "images are scaled down")
    self.canvas = canvas
    hasAlpha = source.hasAlpha
    swapsRedAndBlue = source.swapsRedAndBlue
    step = (
      source.extent.width / (Double(canvas.size.width) - 2 * canvas.overhang.x),
      source.extent.height / (Double(canvas.size.height) - 2 * canvas.overhang.y)
    )
    rowsBefore = canvas.overhang.y * step.y
    height = source.size.height
    spans = Self.spans(
      count: canvas.size.width, step: step.x, before: canvas.overhang.x * step.x, limit: source.size.width)
    slight = hasAlpha ? nil : SlightScaler(spans, sourceWidth: source.size.width, rowsPerRow: step.y)
    let pixelBytes = PixelFormat.bytesPerPixel * MemoryLayout<Float>.stride
    let sumBytes = slight == nil ? source.size.width * pixelBytes : 0
    let sumsApart = slight == nil && step.y >= Self.rowsWorthSummingApart
    let wholeRowBytes = sumsApart ? sumBytes / 2 : 0
    memory = PixelBuffer(
      byteCount: sumBytes + wholeRowBytes + canvas.size.width * PixelFormat.bytesPerPixel)
    sums = UnsafeMutableRawBufferPointer(rebasing: memory.bytes[..<sumBytes]).bindMemory(to: Float.self)
    wholeRows = UnsafeMutableRawBufferPointer(rebasing: memory.bytes[sumBytes...].prefix(wholeRowBytes))
      .bindMemory(to: UInt16.self)
    output = UnsafeMutableRawBufferPointer(rebasing: memory.bytes[(sumBytes + wholeRowBytes)...])
      .bindMemory(to: UInt8.self)
  }

  private static func spans(count: Int, step: Double, before: Double, limit: Int) -> [Span] {
    (0..<count).map { column in
      let start = max(0, Double(column) * step - before)
      let end = min(Double(column + 1) * step - before, Double(limit))
      let first = min(Int(start), limit - 1)
      let last = max(first, min(Int(end.rounded(.up)) - 1, limit - 1))
      return Span(
        first: first, last: last, firstWeight: Float(min(Double(first + 1), end) - start),
        lastWeight: last > first ? Float(end - Double(last)) : 0, factor: Float(1 / max(end - start, 1e-6)))
    }
  }

  /// Takes the next source row.
  mutating func push(_ row: UnsafeRawPointer) {
    let bytes = row.assumingMemoryBound(to: UInt8.self)
    var top = Double(y) + rowsBefore
    let bottom = top + 1
    y += 1
    while outputY < canvas.size.height {
      let end = Double(outputY + 1) * step.y
      let weight = Float(min(bottom, end) - top)
      // A sliver caused by rounding is skipped, unless it is all that the output row gets.
      if weight > 1e-4 || (y == height && rowsSummed == 0) {
        let start = max(Double(outputY) * step.y, rowsBefore)
        let rows = min(end, Double(height) + rowsBefore) - start
        add(bytes, weight: max(weight, 1e-4), of: Float(rows))
      }
      guard end <= bottom || y == height else { return }
      finishRow()
      top = end
      if end >= bottom { return }
    }
  }

  /// Adds a source row.
  ///
  /// - Parameters:
  ///   - weight: The number of source rows: 1 or a fraction.
  ///   - rows: The number of source rows of the current output row, including fractions.
  private mutating func add(_ row: UnsafePointer<UInt8>, weight: Float, of rows: Float) {
    if slight != nil {
      slight?.add(row, fraction: weight / max(rows, weight), isFirst: rowsSummed == 0)
    } else if !wholeRows.isEmpty, weight > 0.9999, isOpaque(row) {
      addWhole(row)
    } else {
      addFloats(row, weight: weight)
    }
    rowsSummed += weight
  }

  private func isOpaque(_ row: UnsafePointer<UInt8>) -> Bool {
    !hasAlpha || UnsafeRawBufferPointer(start: row, count: sums.count).hasOnlyOpaquePixels
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
    let count = self.sums.count
    switch (hasAlpha, hasSums) {
    case (false, false): for index in 0..<count { sums[index] = Float(rows[index]) }
    case (false, true): for index in 0..<count { sums[index] += Float(rows[index]) }
    case (true, _):
      if !hasSums { self.sums.update(repeating: 0) }
      // Colors are weighted by alpha.
      let factors = SIMD4<Float>(255, 255, 255, 1)
      let values = UnsafeRawPointer(rows).assumingMemoryBound(to: SIMD4<UInt16>.self)
      let pixels = UnsafeMutableRawPointer(sums).assumingMemoryBound(to: SIMD4<Float>.self)
      for pixel in 0..<count / 4 {
        pixels[pixel] += SIMD4<Float>(SIMD4<Int32>(truncatingIfNeeded: values[pixel])) * factors
      }
    }
    hasSums = true
    wholeRowCount = 0
  }

  private mutating func addFloats(_ row: UnsafePointer<UInt8>, weight: Float) {
    let sums = sums.baseAddress.unsafelyUnwrapped
    let count = self.sums.count
    switch (hasAlpha, hasSums) {
    case (false, false):
      for index in 0..<count { sums[index] = Float(row[index]) * weight }
    case (false, true):
      for index in 0..<count { sums[index] += Float(row[index]) * weight }
    case (true, _):
      if !hasSums { self.sums.update(repeating: 0) }
      let bytes = UnsafeRawPointer(row)
      let pixels = UnsafeMutableRawPointer(sums).assumingMemoryBound(to: SIMD4<Float>.self)
      for pixel in 0..<count / 4 {
        let samples = bytes.loadUnaligned(fromByteOffset: pixel &* 4, as: SIMD4<UInt8>.self)
        let values = SIMD4<Float>(SIMD4<Int32>(truncatingIfNeeded: samples))
        let alpha = values.w * weight
        var weighted = values * alpha
        weighted.w = alpha
        pixels[pixel] += weighted
      }
    }
    hasSums = true
  }

  private mutating func finishRow() {
    let row = output.baseAddress.unsafelyUnwrapped
    if let slight {
      slight.finish(row)
    } else {
      addWholeRowsToSums()
      sumColumns()
    }
    if swapsRedAndBlue { swapRedAndBlue() }
    canvas.write(UnsafeMutableRawPointer(row), at: outputY)
    outputY += 1
    rowsSummed = 0
    hasSums = false
  }

  private func swapRedAndBlue() {
    let pixels = UnsafeMutableRawBufferPointer(output).assumingMemoryBound(to: UInt32.self)
    for index in pixels.indices {
      let pixel = UInt32(littleEndian: pixels[index])
      let swapped = pixel & 0xFF00_FF00 | pixel >> 16 & 0xFF | (pixel & 0xFF) << 16
      pixels[index] = swapped.littleEndian
    }
  }

  private func sumColumns() {
    let pixels = UnsafeRawPointer(sums.baseAddress.unsafelyUnwrapped)
      .assumingMemoryBound(to: SIMD4<Float>.self)
    let target = UnsafeMutableRawPointer(output.baseAddress.unsafelyUnwrapped)
    let rowFactor = 1 / rowsSummed
    spans.withUnsafeBufferPointer { spans in
      for column in spans.indices {
        let span = spans[column]
        var sum = pixels[span.first] * span.firstWeight
        if span.last > span.first {
          var index = span.first + 1
          while index < span.last {
            sum += pixels[index]
            index += 1
          }
          sum += pixels[index] * span.lastWeight
        }
        let factor = span.factor * rowFactor
        let bytes = hasAlpha ? Self.straight(sum, factor: factor) : Self.opaque(sum, factor: factor)
        target.storeBytes(of: bytes, toByteOffset: column * 4, as: UInt32.self)
      }
    }
  }

  private static func opaque(_ sum: SIMD4<Float>, factor: Float) -> UInt32 {
    UInt32(packing: sum * factor) | .opaqueAlpha
  }

  /// Returns a pixel with straight alpha from the sums of color times alpha and of alpha.
  private static func straight(_ sum: SIMD4<Float>, factor: Float) -> UInt32 {
    guard sum.w > 0 else { return 0 }
    var pixel = sum * (1 / sum.w)
    pixel.w = sum.w * factor
    return UInt32(packing: pixel)
  }
}
