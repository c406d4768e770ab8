/// The weights of the source columns of two neighboring output pixels that cover at most three columns each, four times
/// each weight: one for each byte of a pixel.
struct ColumnTaps {
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

  /// The number of pixels after the sums, of which the last taps read a part.
  static let pixelsAfter = 3

  private var first: SIMD8<UInt16>
  private var second: SIMD8<UInt16>
  private var third: SIMD8<UInt16>
  /// The offsets in bytes of the first columns in the sums.
  private var offsets: (Int32, Int32)

  private init(_ left: Taps, _ right: Taps, bytesPerPixel: Int) {
    func vector(_ left: UInt16, _ right: UInt16) -> SIMD8<UInt16> {
      SIMD8(lowHalf: SIMD4(repeating: left), highHalf: SIMD4(repeating: right))
    }
    first = vector(left.weights.0, right.weights.0)
    second = vector(left.weights.1, right.weights.1)
    third = vector(left.weights.2, right.weights.2)
    offsets = (Int32(left.first * bytesPerPixel), Int32(right.first * bytesPerPixel))
  }

  /// Returns the weights of all output pixels, two by two, or `nil` if one of them covers more than three columns. If
  /// their number is odd, the second pixel of the last pair is the first one again.
  ///
  /// - Parameter bytesPerPixel: The number of bytes of the sums of a source pixel.
  static func pairs(_ spans: [AreaScaler.Span], bytesPerPixel: Int) -> [ColumnTaps]? {
    let taps = spans.compactMap { Taps($0) }
    guard taps.count == spans.count else { return nil }
    return stride(from: 0, to: taps.count, by: 2).map {
      ColumnTaps(taps[$0], taps[min($0 + 1, taps.count - 1)], bytesPerPixel: bytesPerPixel)
    }
  }

  /// Returns two neighboring opaque output pixels.
  ///
  /// - Parameters:
  ///   - sums: The sums of all source columns, in 256ths.
  ///   - rounding: Half of a step and the mean of what was lost before, in 256ths.
  @inline(__always)
  func pixels(_ sums: UnsafeRawPointer, bytesPerPixel: Int, rounding: UInt16) -> UInt64 {
    let left = sums + Int(offsets.0)
    let right = sums + Int(offsets.1)
    func column(_ index: Int) -> SIMD8<UInt16> {
      SIMD8(
        lowHalf: (left + index &* bytesPerPixel).loadUnaligned(as: SIMD4.self),
        highHalf: (right + index &* bytesPerPixel).loadUnaligned(as: SIMD4.self))
    }
    let sum = column(0).highProduct(first) &+ column(1).highProduct(second) &+ column(2).highProduct(third)
    let bytes = ((sum &+ rounding) &>> 8).lowBytes
    return unsafeBitCast(bytes, to: UInt64.self) | UInt64(0xFF00_0000_FF00_0000).littleEndian
  }
}
