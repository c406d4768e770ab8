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
  private let output: UnsafeMutableBufferPointer<UInt8>
  private let height: Int
  private var y = 0
  /// The number of finished rows of the canvas.
  private(set) var outputY = 0
  /// The number of source rows in `sums`, including fractions.
  private var rowsSummed: Float = 0

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
    memory = PixelBuffer(byteCount: sumBytes + canvas.size.width * PixelFormat.bytesPerPixel)
    sums = UnsafeMutableRawBufferPointer(rebasing: memory.bytes[..<sumBytes]).bindMemory(to: Float.self)
    output = UnsafeMutableRawBufferPointer(rebasing: memory.bytes[sumBytes...]).bindMemory(to: UInt8.self)
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
    } else {
      addFloats(row, weight: weight)
    }
    rowsSummed += weight
  }

  private func addFloats(_ row: UnsafePointer<UInt8>, weight: Float) {
    let sums = sums.baseAddress.unsafelyUnwrapped
    let count = self.sums.count
    switch (hasAlpha, rowsSummed == 0) {
    case (false, true):
      for index in 0..<count { sums[index] = Float(row[index]) * weight }
    case (false, false):
      for index in 0..<count { sums[index] += Float(row[index]) * weight }
    case (true, _):
      if rowsSummed == 0 { self.sums.update(repeating: 0) }
      for pixel in stride(from: 0, to: count, by: 4) {
        let alpha = Float(row[pixel + 3]) * weight
        sums[pixel] += Float(row[pixel]) * alpha
        sums[pixel + 1] += Float(row[pixel + 1]) * alpha
        sums[pixel + 2] += Float(row[pixel + 2]) * alpha
        sums[pixel + 3] += alpha
      }
    }
  }

  private mutating func finishRow() {
    let row = output.baseAddress.unsafelyUnwrapped
    if let slight { slight.finish(row) } else { sumColumns() }
    canvas.write(UnsafeMutableRawPointer(row), at: outputY)
    outputY += 1
    rowsSummed = 0
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
