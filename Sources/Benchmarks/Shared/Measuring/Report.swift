/// A result of a benchmark, with the key in the JSON file and the row in the table.
struct Figure {
  /// The key in the JSON file. By convention ends in the unit, if there is one, or begins with `ratio_` for a
  /// comparison.
  let key: String
  let value: Double
  /// The label of the table row; `nil` for a figure that is only in the JSON file.
  var label: String?
  var unit = ""
  var spread: ClosedRange<Double>?
  /// The required bound (`floor`) and the desired bound (`aim`); `nil` for none.
  var floor: Bound?
  var aim: Bound?

  enum Bound {
    case atMost(Double)
    case atLeast(Double)

    func isMet(by value: Double) -> Bool {
      switch self {
      case .atMost(let bound): value <= bound
      case .atLeast(let bound): value >= bound
      }
    }

    var text: String {
      switch self {
      case .atMost(let bound): "≤ " + number(bound)
      case .atLeast(let bound): "≥ " + number(bound)
      }
    }
  }

  /// Creates a figure from the median of runs, with a spread from the minimum to the maximum.
  init(
    _ key: String, _ samples: Samples, label: String? = nil, unit: String = "", factor: Double = 1,
    floor: Bound? = nil, aim: Bound? = nil
  ) {
    self.init(key, samples.median * factor, label: label, unit: unit, floor: floor, aim: aim)
    spread = (samples.min * factor)...(samples.max * factor)
  }

  init(
    _ key: String, _ value: Double, label: String? = nil, unit: String = "", floor: Bound? = nil,
    aim: Bound? = nil
  ) {
    self.key = key
    self.value = value
    self.label = label
    self.unit = unit
    self.floor = floor
    self.aim = aim
  }

  /// Creates a figure that was not measured, whose row states the reason.
  static func missing(_ key: String, reason: String) -> Figure { Figure(key, .nan, label: reason) }

  private var verdict: String {
    if let floor, !floor.isMet(by: value) { return "floor MISSED" }
    if let aim {
      return aim.isMet(by: value) ? "aim met" : floor == nil ? "aim missed" : "floor met, aim missed"
    }
    return floor == nil ? "" : "floor met"
  }

  fileprivate var cells: [String]? {
    guard let label else { return nil }
    let range = spread.map { "\(number($0.lowerBound)) … \(number($0.upperBound))" } ?? ""
    return [
      label, number(value) + (unit.isEmpty ? "" : " " + unit), range, floor?.text ?? "", aim?.text ?? "",
      verdict,
    ]
  }
}

/// The results of a subject.
struct Report {
  let subject: Subject
  let figures: [Figure]

  /// The values by key, for the JSON file. If keys repeat, the first value is used. Figures that were not measured are
  /// left out.
  var values: [String: Double] {
    Dictionary(
      figures.filter(\.value.isFinite).map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
  }

  /// The table for the terminal: one row per figure, with aligned columns.
  var table: String {
    let header = [subject.name, "median", "min … max", "floor", "aim", ""]
    let rows = [header] + figures.compactMap(\.cells)
    let widths = header.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      var line = ""
      for (column, cell) in row.enumerated() {
        line += cell + String(repeating: " ", count: widths[column] - cell.count + 2)
      }
      while line.last == " " { line.removeLast() }
      return line
    }.joined(separator: "\n")
  }
}

/// Returns a number as text with about three significant digits.
func number(_ value: Double) -> String {
  guard value.isFinite else { return "–" }
  let digits =
    abs(value) >= 100 || value == value.rounded() ? 0 : abs(value) >= 10 ? 1 : abs(value) >= 1 ? 2 : 3
  guard digits > 0 else { return String(Int(value.rounded())) }
  let scale = [1.0, 10, 100, 1000][digits]
  let text = String((value * scale).rounded() / scale)
  let decimalCount = text.split(separator: ".").last?.count ?? 0
  return text + String(repeating: "0", count: max(0, digits - decimalCount))
}
