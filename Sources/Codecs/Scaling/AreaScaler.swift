import VitrineGraphics

/// Scales an image down while its rows arrive: each output pixel is the mean of the area that it covers.
///
/// Rows are summed first, at the source width, where neighboring bytes are independent and the compiler can use vector
/// instructions; columns are summed once per output row. Colors are weighted by alpha, so that the colors of
/// transparent pixels do not bleed into visible edges. Keeps one row of sums in memory.
struct AreaScaler: ~Copyable {
  private let canvas: Canvas
  private let swapsRedAndBlue: Bool
  /// The number of source rows per output row, at least 1.
  private let step: Double
  /// The number of source rows by which the canvas begins above the source.
  private let rowsBefore: Double
  private var sums: any RowSums
  private let memory: PixelBuffer
  private let output: UnsafeMutablePointer<UInt8>
  private let height: Int
  private var y = 0
  /// The number of finished rows of the canvas.
  private(set) var outputY = 0
  /// True if no source row was added to the current output row.
  private var isAtStart = true

  /// The source columns that an output column covers, or the rows of a row.
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
    swapsRedAndBlue = source.swapsRedAndBlue
    step = Self.step(source, to: canvas).y
    rowsBefore = canvas.overhang.y * step
    height = source.size.height
    sums = Self.sums(of: source, Self.columns(source, to: canvas), rowsPerRow: step)
    memory = PixelBuffer(byteCount: canvas.size.width * PixelFormat.bytesPerPixel)
    // A canvas has at least one pixel.
    output = memory.bytes.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt8.self)
  }

  /// Returns the number of source pixels per output pixel.
  private static func step(_ source: Canvas.Source, to canvas: Canvas) -> (x: Double, y: Double) {
    (
      source.extent.width / (Double(canvas.size.width) - 2 * canvas.overhang.x),
      source.extent.height / (Double(canvas.size.height) - 2 * canvas.overhang.y)
    )
  }

  /// Returns the source columns of each output column.
  static func columns(_ source: Canvas.Source, to canvas: Canvas) -> [Span] {
    let step = step(source, to: canvas).x
    return spans(
      count: canvas.size.width, step: step, before: canvas.overhang.x * step, limit: source.size.width)
  }

  /// Returns the source rows of each output row.
  static func rows(_ source: Canvas.Source, to canvas: Canvas) -> [Span] {
    let step = step(source, to: canvas).y
    return spans(
      count: canvas.size.height, step: step, before: canvas.overhang.y * step, limit: source.size.height)
  }

  /// Returns empty sums.
  ///
  /// - Parameter rowsPerRow: The number of source rows per output row.
  static func sums(
    of source: Canvas.Source, _ spans: [Span], rowsPerRow: Double
  ) -> any RowSums {
    if source.hasAlpha { return AlphaSums(spans, source, rowsPerRow: rowsPerRow) }
    return SlightScaler(spans, source, rowsPerRow: rowsPerRow)
      ?? OpaqueSums(spans, source, rowsPerRow: rowsPerRow)
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
      let end = Double(outputY + 1) * step
      let weight = Float(min(bottom, end) - top)
      // A sliver caused by rounding is skipped, unless it is all that the output row gets.
      if weight > 1e-4 || (y == height && isAtStart) {
        let start = max(Double(outputY) * step, rowsBefore)
        let rows = min(end, Double(height) + rowsBefore) - start
        sums.add(bytes, weight: max(weight, 1e-4), of: Float(rows))
        isAtStart = false
      }
      guard end <= bottom || y == height else { return }
      finishRow()
      top = end
      if end >= bottom { return }
    }
  }

  private mutating func finishRow() {
    sums.finish(output)
    if swapsRedAndBlue { swapRedAndBlue() }
    canvas.write(UnsafeMutableRawPointer(output), at: outputY)
    outputY += 1
    isAtStart = true
  }

  private func swapRedAndBlue() {
    let pixels = UnsafeMutableRawBufferPointer(memory.bytes).assumingMemoryBound(to: UInt32.self)
    for index in pixels.indices {
      let pixel = UInt32(littleEndian: pixels[index])
      pixels[index] = (pixel & 0xFF00_FF00 | pixel >> 16 & 0xFF | (pixel & 0xFF) << 16).littleEndian
    }
  }
}

/// The sums of the source rows of an output row, column by column.
protocol RowSums {
  /// Adds a source row to the current output row.
  ///
  /// - Parameters:
  ///   - weight: The number of source rows: 1 or a fraction.
  ///   - rows: The number of source rows of the current output row, including fractions.
  mutating func add(_ row: UnsafePointer<UInt8>, weight: Float, of rows: Float)
  /// Writes the pixels of the current output row, four bytes each, and begins the next output row.
  mutating func finish(_ output: UnsafeMutablePointer<UInt8>)
}
