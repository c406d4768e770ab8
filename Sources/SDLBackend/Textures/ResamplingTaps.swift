/// Which source pixels make up each pixel of the result along one axis, and with which weights.
///
/// Shrinking averages what a pixel covers (area filter), growing interpolates between the two nearest
/// (bilinear); pixels outside the part that is shown take no part.
nonisolated struct ResamplingTaps {
  struct Tap {
    /// The first source pixel.
    let first: Int
    /// Where its weight lies in `weights`; the next pixels' follow.
    let weight: Int
    let count: Int
  }

  private(set) var taps: [Tap] = []
  /// Whole numbers; those of a tap add up to `unit`.
  private(set) var weights: [UInt32] = []
  /// Every source pixel that is needed.
  let sources: Range<Int>
  private let unit: Double

  /// - Parameters:
  ///   - start: where the part begins, in source pixels; `length` is how many it has, above 0.
  ///   - limit: how many the source has.
  ///   - size: how many pixels the result has.
  ///   - unit: what weights add up to.
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
    // The running sum is rounded, not each weight, so that the rounding adds up to nothing.
    var given = 0.0
    for source in first..<last {
      let covered = source + 1 == last ? 1 : (Double(source + 1) - start) / (end - start)
      let sum = (covered * unit).rounded()
      weights.append(UInt32(max(0, sum - given)))
      given = sum
    }
  }

  private mutating func addLinear(at position: Double) {
    let whole = position.rounded(.down)
    let first = pinned(whole)
    let hasSecond = pinned(whole + 1) > first
    let share = hasSecond ? ((position - whole) * unit).rounded() : 0
    taps.append(Tap(first: first, weight: weights.count, count: hasSecond ? 2 : 1))
    weights.append(UInt32(unit - share))
    if hasSecond { weights.append(UInt32(share)) }
  }

  private func pinned(_ position: Double) -> Int {
    min(sources.upperBound - 1, max(sources.lowerBound, Int(position)))
  }
}
