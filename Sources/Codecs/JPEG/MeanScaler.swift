import VitrineGraphics

/// Scales a plane of means of blocks down to the rows of an image, one row at a time.
///
/// The columns of the plane are summed first, at the width of the plane, where the compiler can use vector instructions.
struct MeanScaler {
  private let rows: MeanWeights
  private let columns: MeanWeights
  private let samples: UnsafePointer<UInt8>
  private let stride: Int
  private let width: Int
  private let height: Int
  /// A row at the width of the plane, followed by zeros for the last taps, and a row at the width of the image.
  private let memory: PixelBuffer
  private let sums: UnsafeMutableBufferPointer<Float>
  private let output: UnsafeMutableBufferPointer<Float>

  /// - Parameters:
  ///   - samples: The means. Must stay valid.
  ///   - stride: The distance of two rows in bytes.
  ///   - size: The number of means.
  ///   - extent: The part of `size` that the image covers.
  ///   - canvas: The canvas for whose size and overhang the rows are made.
  init(
    _ samples: UnsafePointer<UInt8>, stride: Int, size: PixelSize, extent: (width: Double, height: Double),
    to canvas: Canvas
  ) {
    self.samples = samples
    self.stride = stride
    (width, height) = (size.width, size.height)
    let step = Self.step(extent, canvas)
    rows = MeanWeights(
      count: canvas.size.height, start: -canvas.overhang.y * step.y, step: step.y, cellCount: size.height)
    columns = MeanWeights(
      count: canvas.size.width, start: -canvas.overhang.x * step.x, step: step.x, cellCount: size.width)
    let sumCount = size.width + columns.tapCount
    memory = PixelBuffer(byteCount: (sumCount + canvas.size.width) * MemoryLayout<Float>.stride)
    let floats = memory.bytes.bindMemory(to: Float.self)
    sums = UnsafeMutableBufferPointer(rebasing: floats[..<sumCount])
    output = UnsafeMutableBufferPointer(rebasing: floats[sumCount...])
  }

  /// The number of means per pixel.
  private static func step(
    _ extent: (width: Double, height: Double), _ canvas: Canvas
  ) -> (x: Double, y: Double) {
    (
      extent.width / (Double(canvas.size.width) - 2 * canvas.overhang.x),
      extent.height / (Double(canvas.size.height) - 2 * canvas.overhang.y)
    )
  }

  /// The number of bytes that the scalers of a plane take for a result of `scaled` pixels.
  static func bytes(planeWidth: Int, planeHeight: Int, scaled: PixelSize) -> Int {
    func weights(_ cells: Int, _ count: Int) -> Int {
      // The weights, and the index of the first cell.
      ByteCount.product(
        count, MeanWeights.tapCount(step: Double(cells) / Double(max(1, count)) * 1.5) * 4 + 8)
    }
    return ByteCount.sum(
      weights(planeWidth, scaled.width), weights(planeHeight, scaled.height),
      ByteCount.product(planeWidth + scaled.width, 2 * MemoryLayout<Float>.stride))
  }

  /// Returns row `y` of the image, valid until the next call.
  func row(_ y: Int) -> UnsafePointer<Float> {
    sumRows(y)
    sumColumns()
    return UnsafePointer(output.baseAddress.unsafelyUnwrapped)
  }

  private func sumRows(_ y: Int) {
    let sums = sums.baseAddress.unsafelyUnwrapped
    let width = width
    let first = rows.firsts[y]
    var isFirst = true
    for tap in 0..<min(rows.tapCount, height - first) {
      let weight = rows.weights[y * rows.tapCount + tap]
      guard weight != 0 else { continue }
      let row = samples + (first + tap) * stride
      if isFirst {
        for x in 0..<width { sums[x] = Float(row[x]) * weight }
      } else {
        for x in 0..<width { sums[x] += Float(row[x]) * weight }
      }
      isFirst = false
    }
  }

  private func sumColumns() {
    let sums = UnsafeRawPointer(sums.baseAddress.unsafelyUnwrapped)
    let output = output.baseAddress.unsafelyUnwrapped
    let (tapCount, count) = (columns.tapCount, columns.firsts.count)
    columns.firsts.withUnsafeBufferPointer { firsts in
      columns.weights.withUnsafeBytes { weights in
        let bytes = MemoryLayout<Float>.stride
        for x in 0..<count {
          let cells = sums + firsts[x] &* bytes
          let taps = weights.baseAddress.unsafelyUnwrapped + x &* tapCount &* bytes
          var sum = SIMD4<Float>.zero
          var tap = 0
          while tap < tapCount {
            sum +=
              (cells + tap &* bytes).loadUnaligned(as: SIMD4<Float>.self)
              * (taps + tap &* bytes).loadUnaligned(as: SIMD4<Float>.self)
            tap &+= 4
          }
          let pairs = sum.lowHalf + sum.highHalf
          output[x] = pairs.x + pairs.y
        }
      }
    }
  }
}
