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
  private(set) var weights: [Float] = []
  /// Every source pixel that is needed.
  let sources: Range<Int>

  /// - Parameters:
  ///   - start: where the part begins, in source pixels; `length` is how many it has, above 0.
  ///   - limit: how many the source has.
  ///   - size: how many pixels the result has.
  init(start: Double, length: Double, limit: Int, size: Int) {
    let lower = min(limit - 1, max(0, Int(start.rounded(.down))))
    let upper = min(limit, max(lower + 1, Int((start + length).rounded(.up))))
    sources = lower..<upper
    let step = length / Double(size)
    for position in 0..<size {
      if step > 1 {
        addArea(from: start + Double(position) * step, to: start + Double(position + 1) * step)
      } else {
        addLinear(at: start + (Double(position) + 0.5) * step - 0.5)
      }
    }
  }

  private mutating func addArea(from start: Double, to end: Double) {
    let first = min(sources.upperBound - 1, max(sources.lowerBound, Int(start.rounded(.down))))
    let last = min(sources.upperBound, max(first + 1, Int(end.rounded(.up))))
    let begin = weights.count
    var sum: Float = 0
    for source in first..<last {
      let share = Float(max(0, min(end, Double(source + 1)) - max(start, Double(source))))
      weights.append(share)
      sum += share
    }
    if sum > 0 {
      for index in begin..<weights.count { weights[index] /= sum }
    } else {
      weights[begin] = 1
    }
    taps.append(Tap(first: first, weight: begin, count: last - first))
  }

  private mutating func addLinear(at position: Double) {
    let whole = position.rounded(.down)
    let share = Float(position - whole)
    let first = min(sources.upperBound - 1, max(sources.lowerBound, Int(whole)))
    let second = min(sources.upperBound - 1, max(sources.lowerBound, Int(whole) + 1))
    taps.append(Tap(first: first, weight: weights.count, count: second > first ? 2 : 1))
    weights.append(second > first ? 1 - share : 1)
    if second > first { weights.append(share) }
  }
}
