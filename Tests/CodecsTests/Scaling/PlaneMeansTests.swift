import Testing
import VitrineTesting

@testable import VitrineCodecs

/// The rows of planes of luma and of differences that an output row covers, and their means.
@Suite(.timeLimit(.minutes(5))) struct PlaneMeansTests {
  private func span(_ weights: [Float], first: Int) -> AreaScaler.Span {
    AreaScaler.Span(
      first: first, last: first + weights.count - 1, firstWeight: weights[0],
      lastWeight: weights.count > 1 ? weights[weights.count - 1] : 0, factor: 1)
  }

  @Test func spanHasAWeightForEachRow() {
    let rows = PlaneRows(span([0.25, 1, 1, 0.5], first: 7))

    #expect(rows.first == 7 && rows.weights == [0.25, 1, 1, 0.5] && rows.total == 2.75)
    #expect(PlaneRows(span([0.75], first: 0)).weights == [0.75])
  }

  /// The nearest row counts three quarters, the next one a quarter.
  @Test func rowsOfHalfTheHeightLieBetweenThoseOfTheFullHeight() {
    func halves(_ weights: [Float], first: Int, height: Int = 10) -> PlaneRows {
      PlaneRows(halvesOf: PlaneRows(span(weights, first: first)), height: height)
    }

    #expect(halves([1], first: 4) == rows(1, [0.125, 0.375]))
    #expect(halves([1], first: 5) == rows(2, [0.375, 0.125]))
    #expect(halves([1, 1], first: 4) == rows(1, [0.125, 0.75, 0.125]))
    // At the edges, the nearest row stands for the missing one.
    #expect(halves([1], first: 0) == rows(0, [0.5]))
    #expect(halves([1, 1], first: 0, height: 1) == rows(0, [1]))
    #expect(halves([1], first: 19) == rows(9, [0.5]))
    #expect(halves([1, 1, 1, 1, 1, 1], first: 2, height: 5).weights == [0.125, 0.875, 1, 0.875, 0.125])
  }

  private func rows(_ first: Int, _ weights: [Float]) -> PlaneRows {
    var rows = PlaneRows(span([1], first: first))
    rows.weights = weights
    return rows
  }

  @Test("means are exact up to rounding", arguments: 0..<60) func meansAreExact(seed: Int) {
    var random = SplitMix(state: UInt64(seed))
    let width = Int.random(in: 1...70, using: &random)
    let height = seed % 10 == 9 ? 3000 : Int.random(in: 1...40, using: &random)
    let plane = (0..<width * height).map { _ in UInt8.random(in: 0...1, using: &random) * 255 }
    let count = Int.random(in: 1...height, using: &random)
    var weights = [Float](repeating: 1, count: count)
    weights[0] = Float.random(in: 0.05...1, using: &random)
    weights[count - 1] = Float.random(in: 0.05...1, using: &random)
    let first = Int.random(in: 0...height - count, using: &random)
    let rows = rows(first, weights)
    var means = PlaneMeans(width: width)

    // Twice, because sums are kept in memory.
    for _ in 0..<2 {
      var result = [UInt16](repeating: 7, count: width)
      plane.withUnsafeBufferPointer { plane in
        result.withUnsafeMutableBufferPointer { result in
          if let plane = plane.baseAddress, let result = result.baseAddress {
            means.write(rows, of: plane, stride: width, to: result)
          }
        }
      }
      for x in 0..<width {
        var sum: Float = 0
        for (row, weight) in weights.enumerated() { sum += Float(plane[(first + row) * width + x]) * weight }
        let mean = sum / rows.total
        // With few rows, weights are rounded to 256ths.
        let tolerance: Float = rows.total <= 4 ? 1.5 : 0.3
        #expect(abs(Float(result[x]) / 256 - mean) <= tolerance, "column \(x) of \(weights)")
      }
    }
  }

  @Test func evenRowsStayEven() {
    for (count, value) in [(1, 255), (3, 255), (4, 255), (5, 255), (700, 255), (5, 0), (600, 1)] {
      var means = PlaneMeans(width: 3)
      let plane = [UInt8](repeating: UInt8(value), count: 3 * count)
      var result: [UInt16] = [1, 2, 3]
      plane.withUnsafeBufferPointer { plane in
        result.withUnsafeMutableBufferPointer { result in
          if let plane = plane.baseAddress, let result = result.baseAddress {
            means.write(rows(0, Array(repeating: 1, count: count)), of: plane, stride: 3, to: result)
          }
        }
      }
      #expect(result.allSatisfy { abs(Int($0) - value * 256) <= 1 }, "\(count) rows of \(value)")
    }
  }
}
