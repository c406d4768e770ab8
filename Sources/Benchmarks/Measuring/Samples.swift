/// The results of several runs for one figure.
struct Samples {
  private let sorted: [Double]

  /// Sorts the results.
  ///
  /// - Precondition: `values` is not empty.
  init(_ values: [Double]) {
    precondition(!values.isEmpty, "at least one run")
    sorted = values.sorted()
  }

  var median: Double { quantile(0.5) }
  var min: Double { sorted[0] }
  var max: Double { sorted[sorted.count - 1] }
  var mean: Double { sorted.reduce(0, +) / Double(sorted.count) }

  /// Returns the value that a fraction of the runs did not exceed, with linear interpolation.
  func quantile(_ fraction: Double) -> Double {
    let position = fraction * Double(sorted.count - 1)
    let lower = Int(position)
    guard lower + 1 < sorted.count else { return max }
    return sorted[lower] + (position - Double(lower)) * (sorted[lower + 1] - sorted[lower])
  }
}
