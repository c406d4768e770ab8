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

extension [[String: Double]] {
  /// Returns the values of a figure in all runs; NaN for a run without the figure.
  func values(_ name: String) -> [Double] { map { $0[name] ?? .nan } }

  /// Returns the results of all runs for a figure.
  func samples(_ name: String) -> Samples { Samples(values(name)) }
}

extension [String: Double] {
  /// Returns the results for a figure that a run has measured several times: `NAME_1`, `NAME_2` and so on. `NAME_0` is
  /// from the warm-up.
  func samples(_ name: String, periods: Int) -> Samples {
    Samples((1...periods).map { self["\(name)_\($0)"] ?? .nan })
  }
}
