import VitrineGraphics

/// The blocks of neighboring source columns of an `AlphaSums` that are opaque, or transparent, in all rows of the
/// current output row, as most blocks of icons and cut-outs are.
///
/// Sums of opaque blocks have 16 bits, the lower 8 of which are a fraction, because their colors need not be weighted
/// by alpha. Transparent blocks have no sums.
struct AlphaBlocks {
  enum Content: UInt8 { case transparent, opaque, mixed }

  /// The number of columns of a block.
  static let width = 32
  /// The largest number of source rows per output row: each row adds an error of up to half of a 256th.
  private static let largestRowCount = 8.0
  private static let bytesPerSum = PixelFormat.bytesPerPixel * MemoryLayout<UInt16>.stride
  /// The weight of a whole output row in 65,536ths, about 65,536 · 256 / 257: samples are multiplied by 257, and sums
  /// are in 256ths.
  private static let wholeWeight: Float = 65_280

  /// The number of whole blocks; 0 if output rows cover too many rows. Columns behind the last one are mixed.
  let count: Int
  private let memory: PixelBuffer
  /// Four sums per column, in 256ths.
  private let sums: UnsafeMutableRawPointer
  /// The content of each block in the rows of the current output row so far.
  private let contents: UnsafeMutablePointer<Content>
  /// The weights of output pixels, two by two; empty if one of them covers more than three columns.
  private let taps: [ColumnTaps]
  /// For each block, the first output pixel that begins in it or behind it, and the first that ends behind it.
  private let outputs: [(first: Int32, end: Int32)]
  /// The fraction of the current output row that the rows so far cover, as a number and as a weight in 65,536ths.
  private var covered: (exact: Float, rounded: UInt16) = (0, 0)
  /// The weight of the current source row in 65,536ths.
  private var part: UInt16 = 0
  /// The number of source rows that were added to the current output row.
  private var rowCount = 0

  init(_ spans: [AreaScaler.Span], sourceWidth: Int, rowsPerRow: Double) {
    let count = rowsPerRow <= Self.largestRowCount ? sourceWidth / Self.width : 0
    self.count = count
    taps = count > 0 ? ColumnTaps.pairs(spans, bytesPerPixel: Self.bytesPerSum) ?? [] : []
    let sumBytes = count > 0 ? (sourceWidth + ColumnTaps.pixelsAfter) * Self.bytesPerSum : 0
    memory = PixelBuffer(byteCount: sumBytes + count + 1)
    let start = memory.bytes.baseAddress.unsafelyUnwrapped
    sums = start
    contents = (start + sumBytes).bindMemory(to: Content.self, capacity: count)
    var (first, end) = (0, 0)
    outputs = (0..<count).map { block in
      while first < spans.count, spans[first].first < block * Self.width { first += 1 }
      while end < spans.count, spans[end].last < (block + 1) * Self.width { end += 1 }
      return (Int32(first), Int32(end))
    }
  }

  func content(_ block: Int) -> Content { contents[block] }

  /// Begins a source row.
  ///
  /// - Parameter fraction: The fraction of the output row that the source row covers.
  mutating func beginRow(_ fraction: Float) {
    covered.exact = min(covered.exact + fraction, 1)
    part = UInt16((covered.exact * Self.wholeWeight).rounded()) - covered.rounded
  }

  /// Ends a source row, of which each block was added or marked as mixed.
  mutating func endRow() {
    covered.rounded += part
    rowCount += 1
  }

  mutating func endOutputRow() {
    covered = (0, 0)
    rowCount = 0
  }

  /// Adds a block of the current source row. Returns false if the block is mixed, and nothing was added.
  @inline(__always)
  func add(_ pixels: UnsafeRawPointer, to block: Int) -> Bool {
    if rowCount > 0, contents[block] == .mixed { return false }
    let content = Self.content(of: pixels)
    if rowCount == 0 {
      contents[block] = content
    } else if contents[block] != content {
      return false
    }
    if content == .opaque { addOpaque(pixels, to: block) }
    return content != .mixed
  }

  /// Excludes a block from the rest of the current output row.
  func markMixed(_ block: Int) { contents[block] = .mixed }

  @inline(__always)
  private func addOpaque(_ pixels: UnsafeRawPointer, to block: Int) {
    let sums = sums + block &* (Self.width * Self.bytesPerSum)
    @inline(__always)
    func addTwo(_ index: Int, isFirst: Bool) {
      let samples = pixels.loadUnaligned(fromByteOffset: index &* 8, as: SIMD8<UInt8>.self)
      var sum = weighted(samples)
      if !isFirst { sum &+= sums.loadUnaligned(fromByteOffset: index &* 16, as: SIMD8<UInt16>.self) }
      sums.storeBytes(of: sum, toByteOffset: index &* 16, as: SIMD8<UInt16>.self)
    }
    // Counting for each pair of pixels would take a third of the time.
    @inline(__always)
    func addEight(_ index: Int, isFirst: Bool) {
      addTwo(index, isFirst: isFirst)
      addTwo(index &+ 1, isFirst: isFirst)
      addTwo(index &+ 2, isFirst: isFirst)
      addTwo(index &+ 3, isFirst: isFirst)
    }
    if rowCount == 0 {
      for index in 0..<(Self.width / 8) { addEight(index &* 4, isFirst: true) }
    } else {
      for index in 0..<(Self.width / 8) { addEight(index &* 4, isFirst: false) }
    }
  }

  @inline(__always)
  private func weighted(_ samples: SIMD8<UInt8>) -> SIMD8<UInt16> {
    SIMD8<UInt16>(doubling: samples).highProduct(SIMD8(repeating: part))
  }

  @inline(__always)
  private static func content(of pixels: UnsafeRawPointer) -> Content {
    func four(_ index: Int) -> SIMD4<UInt32> {
      pixels.loadUnaligned(fromByteOffset: index &* 16, as: SIMD4<UInt32>.self)
    }
    // Most mixed blocks are known by their first pixel.
    let alpha = pixels.load(fromByteOffset: 3, as: UInt8.self)
    if alpha == 255 {
      var all = four(0)
      for index in 1..<(width / 4) { all &= four(index) }
      let mask = all[0] & all[1] & all[2] & all[3] & .opaqueAlpha
      return mask == .opaqueAlpha ? .opaque : .mixed
    }
    guard alpha == 0 else { return .mixed }
    var all = four(0)
    for index in 1..<(width / 4) { all |= four(index) }
    return (all[0] | all[1] | all[2] | all[3]) & .opaqueAlpha == 0 ? .transparent : .mixed
  }

  /// Writes the sums of columns of an opaque or transparent block as an `AlphaSums` has them.
  ///
  /// - Parameter weight: The weight of the rows so far, in the steps of `AlphaSums`.
  func expand(_ columns: Range<Int>, of block: Int, to target: UnsafeMutableRawPointer, weight: Int) {
    if contents[block] == .transparent {
      for column in columns {
        target.storeBytes(of: .zero, toByteOffset: column &* 16, as: SIMD4<UInt32>.self)
      }
      return
    }
    // Each row has lost half of a 256th, on average.
    let lost = Float(rowCount) / 2
    let factor = Float(weight * 255) * (65_536 / 257) / Float(max(covered.rounded, 1))
    let alpha = UInt32(weight * 255 * 255)
    for column in columns {
      let sum = sums.loadUnaligned(fromByteOffset: column &* Self.bytesPerSum, as: SIMD4<UInt16>.self)
      // No color may exceed alpha.
      func color(_ index: Int) -> UInt32 { min(UInt32((Float(sum[index]) + lost) * factor), alpha) }
      target.storeBytes(
        of: SIMD4(color(0), color(1), color(2), alpha), toByteOffset: column &* 16, as: SIMD4<UInt32>.self)
    }
  }

  /// Writes the output pixels that lie in a run of blocks with the same contents, from a given pixel on, two by two.
  /// Returns their columns.
  func write(
    _ blocks: Range<Int>, from column: Int, to target: UnsafeMutableRawPointer,
    _ spans: UnsafeBufferPointer<AreaScaler.Span>
  ) -> Range<Int> {
    // Even, because of pairs of taps.
    let first = (max(Int(outputs[blocks.lowerBound].first), column) + 1) & ~1
    let end = max(first, Int(outputs[blocks.upperBound - 1].end) & ~1)
    if contents[blocks.lowerBound] == .transparent {
      (target + first &* 4).initializeMemory(as: UInt32.self, repeating: 0, count: end - first)
    } else if taps.isEmpty {
      writeMeans(first..<end, to: target, spans)
    } else {
      // Half of a step, and half of a 256th for each row and for each tap.
      let rounding = 128 + UInt16(rowCount + 3) / 2
      taps.withUnsafeBufferPointer { taps in
        for pair in (first / 2)..<(end / 2) {
          let pixels = taps[pair].pixels(sums, bytesPerPixel: Self.bytesPerSum, rounding: rounding)
          target.storeBytes(of: pixels, toByteOffset: pair &* 8, as: UInt64.self)
        }
      }
    }
    return first..<end
  }

  /// Writes opaque pixels that cover any number of columns.
  private func writeMeans(
    _ columns: Range<Int>, to target: UnsafeMutableRawPointer, _ spans: UnsafeBufferPointer<AreaScaler.Span>
  ) {
    func pixel(_ index: Int) -> SIMD4<Float> {
      let sum = sums.loadUnaligned(fromByteOffset: index &* Self.bytesPerSum, as: SIMD4<UInt16>.self)
      return SIMD4(Float(sum.x), Float(sum.y), Float(sum.z), Float(sum.w))
    }
    let lost = Float(rowCount) / 512
    for column in columns {
      let span = spans[column]
      var sum = pixel(span.first) * span.firstWeight
      if span.last > span.first {
        for index in (span.first + 1)..<span.last { sum += pixel(index) }
        sum += pixel(span.last) * span.lastWeight
      }
      let bytes = UInt32(packing: sum * (span.factor / 256) + lost) | .opaqueAlpha
      target.storeBytes(of: bytes, toByteOffset: column &* 4, as: UInt32.self)
    }
  }
}
