/// The source pixels and weights that make up each pixel of a resampled bitmap along one axis.
///
/// Shrinking averages the source pixels that a target pixel covers (area filter). Enlarging interpolates between the
/// two nearest source pixels (bilinear). Source pixels outside the part that is shown are not used.
struct ResamplingTaps {
  struct Tap {
    /// The index of the first source pixel.
    let first: Int
    /// The index in `weights` of the first source pixel's weight. The weights of the next pixels follow.
    let weight: Int
    let count: Int
  }

  private(set) var taps: [Tap] = []
  /// The weights of all taps, as integers. The weights of one tap add up to `unit`.
  private(set) var weights: [UInt32] = []
  /// The range of all source pixels that are used.
  let sources: Range<Int>
  private let unit: Double

  /// - Parameters:
  ///   - start: The start of the part in source pixels.
  ///   - length: The length of the part in source pixels, greater than 0.
  ///   - limit: The number of pixels in the source.
  ///   - size: The number of pixels in the result.
  ///   - unit: The sum of the weights of one tap.
  init(start: Double, length: Double, limit: Int, size: Int, unit: Int) {
    let lower = min(limit - 1, max(0, Int(start.rounded(.down))))
    let upper = min(limit, max(lower + 1, Int((start + length).rounded(.up))))
    sources = lower..<upper
    self.unit = Double(unit)
    let step = length / Double(size)
    taps.reserveCapacity(size)
    for position in 0..<size {
      if step > 1 {
        addArea(from: start + Double(position) * step, to: start + Double(position + 1) * step)
      } else {
        addLinear(at: start + (Double(position) + 0.5) * step - 0.5)
      }
    }
  }

  private mutating func addArea(from start: Double, to end: Double) {
    let start = max(start, Double(sources.lowerBound))
    let end = min(end, Double(sources.upperBound))
    let first = pinned(start)
    let last = max(first + 1, min(sources.upperBound, Int(end.rounded(.up))))
    taps.append(Tap(first: first, weight: weights.count, count: last - first))
    // Rounds the running sum and not each weight, so that the weights add up to exactly `unit`.
    var previousSum = 0.0
    for source in first..<last {
      let covered = source + 1 == last ? 1 : (Double(source + 1) - start) / (end - start)
      let sum = (covered * unit).rounded()
      weights.append(UInt32(max(0, sum - previousSum)))
      previousSum = sum
    }
  }

  private mutating func addLinear(at position: Double) {
    let firstPosition = position.rounded(.down)
    let first = pinned(firstPosition)
    let hasSecond = pinned(firstPosition + 1) > first
    let secondWeight = hasSecond ? ((position - firstPosition) * unit).rounded() : 0
    taps.append(Tap(first: first, weight: weights.count, count: hasSecond ? 2 : 1))
    weights.append(UInt32(unit - secondWeight))
    if hasSecond { weights.append(UInt32(secondWeight)) }
  }

  private func pinned(_ position: Double) -> Int {
    min(sources.upperBound - 1, max(sources.lowerBound, Int(position)))
  }
}
