/// The weights that turn the means of cells along one axis into the means of intervals, for a row or a column of pixels.
///
/// A mean over a part of a cell is that of the polynomial of degree 4 that has the means of the cell and of its two
/// neighbors on both sides. Counting a part of a cell as a part of its mean, as an area filter does, would blur edges:
/// with two or three cells per pixel, most cells belong to two pixels.
struct MeanWeights {
  /// The number of weights of an interval, a multiple of four.
  let tapCount: Int
  /// The index of the first cell of each interval.
  let firsts: [Int]
  /// `tapCount` weights for each interval, which add up to 1.
  let weights: [Float]

  /// The number of neighbors on each side of a cell that take part.
  private static let reach = 2

  /// - Parameters:
  ///   - count: The number of intervals.
  ///   - start: The start of the first interval, in cells.
  ///   - step: The length of an interval, in cells. Must be positive.
  ///   - cellCount: The number of cells, at least 1. The first and the last cell continue beyond the edges.
  init(count: Int, start: Double, step: Double, cellCount: Int) {
    let tapCount = Self.tapCount(step: step)
    var firsts = [Int](repeating: 0, count: count)
    var weights = [Float](repeating: 0, count: count * tapCount)
    weights.withUnsafeMutableBufferPointer { weights in
      for index in 0..<count {
        let begin = max(0, min(start + Double(index) * step, Double(cellCount)))
        let end = max(begin, min(start + Double(index + 1) * step, Double(cellCount)))
        let first = max(0, min(Int(begin), cellCount - 1) - Self.reach)
        firsts[index] = first
        let taps = UnsafeMutableBufferPointer(rebasing: weights[index * tapCount..<(index + 1) * tapCount])
        Self.write(begin, end, cellCount: cellCount, first: first, to: taps)
      }
    }
    (self.tapCount, self.firsts, self.weights) = (tapCount, firsts, weights)
  }

  /// Writes the weights of the interval from `begin` to `end` to `taps`, which are zero.
  private static func write(
    _ begin: Double, _ end: Double, cellCount: Int, first: Int, to taps: UnsafeMutableBufferPointer<Float>
  ) {
    let (beginCell, endCell) = (Int(begin), Int(end))
    func tap(_ cell: Int) -> Int { max(0, min(cell, cellCount - 1)) - first }
    // An interval beyond the edge, or one that rounding has emptied, repeats the nearest cell.
    guard end - begin > 1e-6 else {
      taps[tap(beginCell)] = 1
      return
    }
    let factor = Float(1 / (end - begin))
    for cell in beginCell..<endCell { taps[tap(cell)] += factor }
    let (before, after) = (integral(to: begin - Double(beginCell)), integral(to: end - Double(endCell)))
    for index in 0...2 * reach {
      taps[tap(endCell + index - reach)] += after[index] * factor
      taps[tap(beginCell + index - reach)] -= before[index] * factor
    }
  }

  /// The number of weights of an interval that is `step` cells long.
  static func tapCount(step: Double) -> Int { (Int(step) + 2 + 2 * reach + 3) / 4 * 4 }

  /// Returns the weights of five cells in the integral of the polynomial from the beginning of the middle cell to
  /// `position`, from 0 to 1.
  ///
  /// The integral of the polynomial is the Lagrange polynomial through the sums of the cells at their edges, which lie at
  /// -2, -1, 0, 1, 2 and 3. The sum at an edge contains the cells between the edge and 0.
  private static func integral(to position: Double) -> SIMD8<Float> {
    let (a, b, c) = (position + 2, position + 1, position)
    let (d, e, f) = (position - 1, position - 2, position - 3)
    let (abc, def) = (a * b * c, d * e * f)
    let (first, second) = (b * c * def / -120, a * c * def / 24)
    let (fourth, fifth, sixth) = (abc * e * f / 12, abc * d * f / -24, abc * d * e / 120)
    return SIMD8<Float>(
      SIMD8(-first, -first - second, fourth + fifth + sixth, fifth + sixth, sixth, 0, 0, 0))
  }
}
