import VitrineGraphics

/// The sums of an `AreaScaler` for an opaque image of which each output pixel covers at most three rows and columns, as in
/// most images that are scaled to more than half.
///
/// Numbers have 16 bits, the lower 8 of which are a fraction, so that a vector instruction handles eight of them. A
/// pixel differs by at most 1.5 from the exact mean.
struct SlightScaler: RowSums {
  /// The weights of three neighboring source columns, the first of which is `first`. Columns beyond the source have the
  /// weight 0.
  private struct Taps {
    let first: Int
    /// The weights in 65,536ths.
    let weights: (UInt16, UInt16, UInt16)

    init?(_ span: AreaScaler.Span) {
      guard span.last - span.first <= 2 else { return nil }
      first = span.first
      let middle: Float = span.last == span.first + 2 ? 1 : 0
      let ends = (
        span.firstWeight, middle > 0 ? middle : span.lastWeight, middle > 0 ? span.lastWeight : 0
      )
      // Rounded so that the sum is exact. A single weight of 65,536 has no room in 16 bits.
      func steps(_ sum: Float) -> UInt16 { UInt16((min(sum * span.factor, 1) * 65_535).rounded()) }
      let (one, two, three) = (steps(ends.0), steps(ends.0 + ends.1), steps(ends.0 + ends.1 + ends.2))
      weights = (one, two - one, three - two)
    }
  }

  /// The weights of two neighboring output pixels, each four times: one for each byte of a pixel.
  private struct TapsOfTwo {
    var first: SIMD8<UInt16>
    var second: SIMD8<UInt16>
    var third: SIMD8<UInt16>
    /// The offsets in bytes of the first columns in the sums.
    var offsets: (Int32, Int32)

    init(_ left: Taps, _ right: Taps, bytesPerPixel: Int) {
      func vector(_ left: UInt16, _ right: UInt16) -> SIMD8<UInt16> {
        SIMD8(lowHalf: SIMD4(repeating: left), highHalf: SIMD4(repeating: right))
      }
      first = vector(left.weights.0, right.weights.0)
      second = vector(left.weights.1, right.weights.1)
      third = vector(left.weights.2, right.weights.2)
      offsets = (Int32(left.first * bytesPerPixel), Int32(right.first * bytesPerPixel))
    }
  }

  /// The number of pixels after the sums, of which the last taps read a part.
  private static let pixelsAfter = 3
  /// The largest number of source rows that an output row covers.
  private static let largestRowCount = 3.0

  /// The weights of all output pixels. The second pixel of the last pair is the first one again if their number is odd.
  private let taps: [TapsOfTwo]
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
    let taps = spans.compactMap { Taps($0) }
    guard taps.count == spans.count else { return nil }
    width = taps.count
    let bytesPerPixel = source.bytesPerPixel * MemoryLayout<UInt16>.stride
    self.bytesPerPixel = bytesPerPixel
    self.taps = stride(from: 0, to: taps.count, by: 2).map {
      TapsOfTwo(taps[$0], taps[min($0 + 1, taps.count - 1)], bytesPerPixel: bytesPerPixel)
    }
    memory = PixelBuffer(byteCount: (source.size.width + Self.pixelsAfter) * bytesPerPixel)
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
      let pairs = width / 2
      for index in 0..<pairs {
        target.storeBytes(
          of: Self.pixels(sums, taps[index], bytesPerPixel), toByteOffset: index &* 8, as: UInt64.self)
      }
      guard pairs < taps.count else { return }
      let last = UInt32(
        truncatingIfNeeded: UInt64(littleEndian: Self.pixels(sums, taps[pairs], bytesPerPixel)))
      target.storeBytes(of: last.littleEndian, toByteOffset: pairs &* 8, as: UInt32.self)
    }
    covered = (0, 0)
    isAtStart = true
  }

  /// Returns two neighboring output pixels.
  @inline(__always)
  private static func pixels(
    _ sums: UnsafeRawPointer, _ taps: TapsOfTwo, _ bytesPerPixel: Int
  ) -> UInt64 {
    let left = sums + Int(taps.offsets.0)
    let right = sums + Int(taps.offsets.1)
    func column(_ index: Int) -> SIMD8<UInt16> {
      SIMD8(
        lowHalf: (left + index &* bytesPerPixel).loadUnaligned(as: SIMD4.self),
        highHalf: (right + index &* bytesPerPixel).loadUnaligned(as: SIMD4.self))
    }
    let sum =
      column(0).highProduct(taps.first) &+ column(1).highProduct(taps.second)
      &+ column(2).highProduct(taps.third)
    // Rounded. Each of the three products has lost half of a 256th, on average.
    let bytes = ((sum &+ 130) &>> 8).lowBytes
    return unsafeBitCast(bytes, to: UInt64.self) | UInt64(0xFF00_0000_FF00_0000).littleEndian
  }
}
