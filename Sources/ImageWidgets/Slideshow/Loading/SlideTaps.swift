/// The source pixels and weights that make up each pixel of a scaled image along one axis.
///
/// Shrinking averages the source pixels that a target pixel covers. Enlarging interpolates between the two nearest ones.
nonisolated struct SlideTaps {
  /// The sum of the weights of a target pixel.
  static let unit: UInt32 = 256

  /// The first source pixel of each target pixel.
  private var firsts: [Int] = []
  /// The index of the first weight of each target pixel, and the number of all weights.
  private var offsets: [Int] = [0]
  private var weights: [UInt32] = []

  /// - Parameters:
  ///   - source: The number of source pixels, at least 1.
  ///   - target: The number of target pixels.
  init(source: Int, target: Int) {
    let step = Double(source) / Double(target)
    for position in 0..<target {
      let middle = (Double(position) + 0.5) * step
      // The half width of the filter; a target pixel of an enlarged image reaches one source pixel to both sides.
      let reach = max(0.5, step / 2)
      let first = max(0, min(source - 1, Int((middle - reach).rounded(.down))))
      let last = max(first, min(source - 1, Int((middle + reach).rounded(.up)) - 1))
      add(
        first,
        (first...last).map { pixel in
          max(0, min(Double(pixel) + 1, middle + reach) - max(Double(pixel), middle - reach))
        })
    }
  }

  /// Rounds the running sum and not each weight, so that the weights add up to exactly `unit`.
  private mutating func add(_ first: Int, _ shares: [Double]) {
    let total = max(shares.reduce(0, +), 1e-9)
    var (sum, previous) = (0.0, UInt32(0))
    firsts.append(first)
    for (index, share) in shares.enumerated() {
      sum += share
      let rounded =
        index == shares.count - 1 ? Self.unit : UInt32((min(1, sum / total) * Double(Self.unit)).rounded())
      weights.append(rounded - previous)
      previous = rounded
    }
    offsets.append(weights.count)
  }

  /// Returns a pixel of the scaled image, over black and opaque. These taps are those of the columns.
  func pixel(
    _ x: Int, _ rows: SlideTaps, _ y: Int, of source: UnsafeBufferPointer<SIMD4<UInt8>>,
    bytesPerRow width: Int,
    isOpaque: Bool
  ) -> SIMD4<UInt8> {
    var sum = SIMD4<UInt32>(repeating: 0)
    for row in rows.offsets[y]..<rows.offsets[y + 1] {
      let start = (rows.firsts[y] + row - rows.offsets[y]) * width + firsts[x] - offsets[x]
      for column in offsets[x]..<offsets[x + 1] {
        let pixel = source[start + column]
        var weight = SIMD4<UInt32>(repeating: rows.weights[row] &* weights[column])
        if !isOpaque { weight = weight &* SIMD4(repeating: UInt32(pixel.w)) / SIMD4(repeating: 255) }
        sum = sum &+ SIMD4<UInt32>(truncatingIfNeeded: pixel) &* weight
      }
    }
    var pixel = SIMD4<UInt8>(truncatingIfNeeded: (sum &+ SIMD4(repeating: 1 << 15)) &>> SIMD4(repeating: 16))
    pixel.w = 255
    return pixel
  }
}
