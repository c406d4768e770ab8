import VitrineGraphics

/// The sums of an `AreaScaler` for an opaque image of which each output pixel covers at most three columns, as in most
/// images that are scaled to more than half.
///
/// Numbers have 16 bits, the lower 8 of which are a fraction, so that a vector instruction handles eight of them. A
/// pixel differs by at most 1.5 from the exact mean.
struct SlightScaler {
  /// The weights of three neighboring source columns, the first of which is `first`. Columns beyond the source have the
  /// weight 0.
  private struct Taps {
    /// The weights in 65,536ths, each four times: one for each byte of a pixel.
    var firstTwo: SIMD8<UInt16>
    var third: SIMD4<UInt16>
    var first: Int32

    init?(_ span: AreaScaler.Span) {
      guard span.last - span.first <= 2 else { return nil }
      first = Int32(span.first)
      let middle: Float = span.last == span.first + 2 ? 1 : 0
      let ends = [span.firstWeight, middle > 0 ? middle : span.lastWeight, middle > 0 ? span.lastWeight : 0]
      // Rounded so that the sum is exact. A single weight of 65,536 has no room in 16 bits.
      var sum: Float = 0
      let steps = ends.map { weight in
        sum += weight * span.factor
        return UInt32((min(sum, 1) * 65_535).rounded())
      }
      let weights = [steps[0], steps[1] - steps[0], steps[2] - steps[1]].map { UInt16($0) }
      firstTwo = SIMD8(
        lowHalf: SIMD4(repeating: weights[0]), highHalf: SIMD4(repeating: weights[1]))
      third = SIMD4(repeating: weights[2])
    }
  }

  /// The number of pixels after the sums, which the last taps read.
  private static let pixelsAfter = 2

  private let taps: [Taps]
  private let memory: PixelBuffer
  /// Four sums per source pixel, in 256ths, for the current output row.
  private let sums: UnsafeMutableBufferPointer<UInt16>
  /// The fraction of the current output row that the rows so far cover, as a number and in 256ths.
  private var covered: (exact: Float, rounded: UInt16) = (0, 0)

  /// Returns `nil` if an output pixel covers more than three columns.
  init?(_ spans: [AreaScaler.Span], sourceWidth: Int) {
    let taps = spans.compactMap { Taps($0) }
    guard taps.count == spans.count else { return nil }
    self.taps = taps
    let bytesPerPixel = PixelFormat.bytesPerPixel * MemoryLayout<UInt16>.stride
    memory = PixelBuffer(byteCount: (sourceWidth + Self.pixelsAfter) * bytesPerPixel)
    let sumBytes = UnsafeMutableRawBufferPointer(rebasing: memory.bytes[..<(sourceWidth * bytesPerPixel)])
    sums = sumBytes.bindMemory(to: UInt16.self)
  }

  /// Adds a source row.
  ///
  /// - Parameters:
  ///   - share: The fraction of the output row that the source row covers. The fractions of an output row add up to 1.
  ///   - isFirst: True for the first source row of an output row.
  mutating func add(_ row: UnsafePointer<UInt8>, share: Float, isFirst: Bool) {
    if isFirst { covered = (0, 0) }
    covered.exact = min(covered.exact + share, 1)
    let upTo = UInt16((covered.exact * 256).rounded())
    let weight = upTo - covered.rounded
    covered.rounded = upTo
    let sums = sums.baseAddress.unsafelyUnwrapped
    let count = self.sums.count
    if isFirst {
      for index in 0..<count { sums[index] = UInt16(row[index]) &* weight }
    } else if weight > 0 {
      for index in 0..<count { sums[index] &+= UInt16(row[index]) &* weight }
    }
  }

  /// Writes the output row.
  func finish(_ output: UnsafeMutablePointer<UInt8>) {
    let pixels = UnsafeRawPointer(sums.baseAddress.unsafelyUnwrapped)
    let bytesPerPixel = PixelFormat.bytesPerPixel * MemoryLayout<UInt16>.stride
    let target = UnsafeMutableRawPointer(output).assumingMemoryBound(to: UInt32.self)
    taps.withUnsafeBufferPointer { taps in
      for column in taps.indices {
        let source = pixels + Int(taps[column].first) &* bytesPerPixel
        let firstTwo = Self.product(
          source.loadUnaligned(as: SIMD8<UInt16>.self), taps[column].firstTwo)
        let third = Self.product(
          SIMD8(lowHalf: (source + 2 &* bytesPerPixel).loadUnaligned(as: SIMD4.self), highHalf: .zero),
          SIMD8(lowHalf: taps[column].third, highHalf: .zero))
        let sum = firstTwo.lowHalf &+ firstTwo.highHalf &+ third.lowHalf
        // Rounded. Each of the three products has lost half of a 256th, on average.
        let bytes = SIMD4<UInt8>(truncatingIfNeeded: (sum &+ 130) &>> 8)
        target[column] = unsafeBitCast(bytes, to: UInt32.self) | UInt32(0xFF00_0000).littleEndian
      }
    }
  }

  /// Returns the products in 65,536ths, without their fractions.
  @inline(__always)
  private static func product(_ a: SIMD8<UInt16>, _ b: SIMD8<UInt16>) -> SIMD8<UInt16> {
    let products = SIMD8<UInt32>(truncatingIfNeeded: a) &* SIMD8<UInt32>(truncatingIfNeeded: b)
    return SIMD8<UInt16>(truncatingIfNeeded: products &>> 16)
  }
}
