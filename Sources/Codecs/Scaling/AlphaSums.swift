import VitrineGraphics

/// The sums of an `AreaScaler` for an image with alpha: colors are weighted by alpha, and the sum of alpha is multiplied
/// by 255, so that a sum of colors divided by that of alpha is a color as a fraction.
///
/// Numbers are integers, because a vector instruction multiplies eight of 16 bits. Opaque and transparent blocks are left
/// to `AlphaBlocks`, which takes less time.
struct AlphaSums: RowSums {
  private static let bytesPerSum = PixelFormat.bytesPerPixel * MemoryLayout<UInt32>.stride
  /// The maximum number of weight steps of an output row. 255 · 255 times as many fit a signed integer of 32 bits.
  private static let largestWeight = 1 << 15

  private let spans: [AreaScaler.Span]
  private var blocks: AlphaBlocks
  private let memory: PixelBuffer
  /// Four sums per source pixel; unused for pixels of opaque and transparent blocks.
  private let sums: UnsafeMutableBufferPointer<UInt32>
  private var start: UnsafeMutableRawPointer { UnsafeMutableRawPointer(sums.baseAddress.unsafelyUnwrapped) }
  /// The number of steps of the weight of a whole row, a power of 2.
  private let stepsPerRow: Float
  /// The number of lowest bits by which products are shifted right, so that their sum fits; 0 unless an output row
  /// covers half of `largestWeight` rows.
  private let shift: UInt16
  /// The weight of the current output row so far.
  private var weight = 0

  /// - Parameter rowsPerRow: The number of source rows per output row.
  init(_ spans: [AreaScaler.Span], _ source: Canvas.Source, rowsPerRow: Double) {
    self.spans = spans
    // Blocks begin at the left edge, and a pixel may differ by a step inside and outside of a block. Tiles that share
    // the pixel would differ.
    blocks = AlphaBlocks(spans, sourceWidth: source.isTile ? 0 : source.size.width, rowsPerRow: rowsPerRow)
    // Fractions of the first and the last row are rounded up to a row.
    let rows = Int(rowsPerRow) + 3
    var steps = 1
    while steps * 2 * rows <= Self.largestWeight { steps *= 2 }
    stepsPerRow = Float(steps)
    var shift: UInt16 = 0
    while rows >> Int(shift) > Self.largestWeight { shift += 1 }
    self.shift = shift
    memory = PixelBuffer(byteCount: source.size.width * Self.bytesPerSum)
    sums = memory.bytes.bindMemory(to: UInt32.self)
  }

  mutating func add(_ row: UnsafePointer<UInt8>, weight: Float, of rows: Float) {
    // A row that is the only one of an output row must not be lost.
    let steps = max(1, (weight * stepsPerRow).rounded())
    blocks.beginRow(weight / max(rows, weight))
    addBlocks(row, steps: UInt16(steps))
    blocks.endRow()
    self.weight += Int(steps)
  }

  private func addBlocks(_ row: UnsafePointer<UInt8>, steps: UInt16) {
    let blocks = blocks
    let isFirst = weight == 0
    // Neighboring mixed blocks are added at once.
    var mixed = 0
    for block in 0..<blocks.count {
      let first = block &* AlphaBlocks.width
      if blocks.add(UnsafeRawPointer(row + first &* PixelFormat.bytesPerPixel), to: block) {
        if mixed < first { addMixed(mixed..<first, of: row, steps: steps, isFirst: isFirst) }
        mixed = first &+ AlphaBlocks.width
      } else if !isFirst, blocks.content(block) != .mixed {
        blocks.expand(first..<(first + AlphaBlocks.width), of: block, to: start, weight: weight)
        blocks.markMixed(block)
      }
    }
    addMixed(mixed..<(sums.count / PixelFormat.bytesPerPixel), of: row, steps: steps, isFirst: isFirst)
  }

  /// Adds columns of a source row that are neither opaque nor transparent as a whole.
  private func addMixed(_ columns: Range<Int>, of row: UnsafePointer<UInt8>, steps: UInt16, isFirst: Bool) {
    let pixels = UnsafeRawPointer(row + columns.lowerBound &* PixelFormat.bytesPerPixel)
    let target = start + columns.lowerBound &* Self.bytesPerSum
    if shift > 0 {
      Self.add(pixels, to: target, count: columns.count, steps: steps, shift: shift, isFirst: isFirst)
    } else {
      Self.add(pixels, to: target, count: columns.count, steps: steps, shift: 0, isFirst: isFirst)
    }
  }

  @inline(__always)
  private static func add(
    _ row: UnsafeRawPointer, to sums: UnsafeMutableRawPointer, count: Int, steps: UInt16, shift: UInt16,
    isFirst: Bool
  ) {
    // Two pixels at a time.
    let pairs = count / 2
    if isFirst {
      for index in 0..<pairs {
        let samples = row.loadUnaligned(fromByteOffset: index &* 8, as: SIMD8<UInt8>.self)
        let sum = weighted(samples, steps: steps, shift: shift)
        sums.storeBytes(of: sum, toByteOffset: index &* 32, as: SIMD8<UInt32>.self)
      }
    } else {
      for index in 0..<pairs {
        let samples = row.loadUnaligned(fromByteOffset: index &* 8, as: SIMD8<UInt8>.self)
        let old = sums.loadUnaligned(fromByteOffset: index &* 32, as: SIMD8<UInt32>.self)
        let sum = old &+ weighted(samples, steps: steps, shift: shift)
        sums.storeBytes(of: sum, toByteOffset: index &* 32, as: SIMD8<UInt32>.self)
      }
    }
    for index in (pairs * 2)..<count {
      let samples = row.loadUnaligned(fromByteOffset: index &* 4, as: SIMD4<UInt8>.self)
      let sum = weighted(SIMD8(lowHalf: samples, highHalf: .zero), steps: steps, shift: shift).lowHalf
      let old = isFirst ? .zero : sums.loadUnaligned(fromByteOffset: index &* 16, as: SIMD4<UInt32>.self)
      sums.storeBytes(of: old &+ sum, toByteOffset: index &* 16, as: SIMD4<UInt32>.self)
    }
  }

  /// Returns the samples of two pixels, colors multiplied by alpha and alpha by 255, times a weight.
  @inline(__always)
  private static func weighted(_ pixels: SIMD8<UInt8>, steps: UInt16, shift: UInt16) -> SIMD8<UInt32> {
    let samples = SIMD8<UInt16>(widening: pixels)
    let (left, right) = (samples[3], samples[7])
    let factors = samples | SIMD8(0, 0, 0, 255, 0, 0, 0, 255)
    let products = factors &* SIMD8(left, left, left, left, right, right, right, right)
    return (products &>> shift).fullProduct(steps)
  }

  mutating func finish(_ output: UnsafeMutablePointer<UInt8>) {
    let target = UnsafeMutableRawPointer(output)
    spans.withUnsafeBufferPointer { spans in
      var (column, block) = (0, 0)
      while block < blocks.count {
        let start = block
        let content = blocks.content(block)
        repeat { block += 1 } while block < blocks.count && blocks.content(block) == content
        guard content != .mixed else { continue }
        let written = blocks.write(start..<block, from: column, to: target, spans)
        guard !written.isEmpty else { continue }
        writeMixed(column..<written.lowerBound, of: spans, to: target)
        column = written.upperBound
      }
      writeMixed(column..<spans.count, of: spans, to: target)
    }
    weight = 0
    blocks.endOutputRow()
  }

  /// Writes the sums of those columns that lie in blocks which are not mixed.
  private func expandBlocks(in columns: ClosedRange<Int>) {
    let (first, last) = (columns.lowerBound / AlphaBlocks.width, columns.upperBound / AlphaBlocks.width)
    guard first < blocks.count else { return }
    for block in first...min(last, blocks.count - 1) where blocks.content(block) != .mixed {
      let start = block * AlphaBlocks.width
      let part = max(columns.lowerBound, start)..<min(columns.upperBound + 1, start + AlphaBlocks.width)
      blocks.expand(part, of: block, to: self.start, weight: weight)
    }
  }

  /// Writes pixels of which any may be partly transparent.
  private func writeMixed(
    _ columns: Range<Int>, of spans: UnsafeBufferPointer<AreaScaler.Span>, to target: UnsafeMutableRawPointer
  ) {
    guard let firstColumn = columns.first, let lastColumn = columns.last else { return }
    expandBlocks(in: spans[firstColumn].first...spans[lastColumn].last)
    let sums = UnsafeRawPointer(start)
    // The sum of alpha of an opaque image is 255 times its weight times 255.
    let rowFactor = 1 / (Float(weight) * 255) * Float(1 << shift)
    func pixel(_ index: Int) -> SIMD4<Float> {
      // Signed integers, which have a vector instruction.
      let sum = sums.loadUnaligned(fromByteOffset: index &* 16, as: SIMD4<Int32>.self)
      return SIMD4<Float>(sum)
    }
    for column in columns {
      let span = spans[column]
      var sum = pixel(span.first) * span.firstWeight
      if span.last > span.first {
        for index in (span.first + 1)..<span.last { sum += pixel(index) }
        sum += pixel(span.last) * span.lastWeight
      }
      let bytes = Self.straight(sum, factor: span.factor * rowFactor)
      target.storeBytes(of: bytes, toByteOffset: column &* 4, as: UInt32.self)
    }
  }

  /// Returns a pixel with straight alpha.
  ///
  /// - Parameter factor: The factor from the sum of alpha to alpha.
  @inline(__always)
  private static func straight(_ sum: SIMD4<Float>, factor: Float) -> UInt32 {
    guard sum.w > 0 else { return 0 }
    var pixel = sum * (255 / sum.w)
    pixel.w = sum.w * factor
    return UInt32(packing: pixel)
  }
}
