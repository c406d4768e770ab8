/// A figure of a subject: its key in the JSON, its line in the table.
struct Figure {
  /// Ends in the unit, or begins with `ratio_`.
  let key: String
  let value: Double
  /// Line of the table; nil where only the JSON has it.
  var label: String?
  var unit = ""
  var spread: ClosedRange<Double>?
  /// What it has to reach, and what it should.
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

  /// The median of runs, with the spread from the least to the greatest.
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

/// What was measured of a subject.
struct Report {
  let subject: Subject
  let figures: [Figure]

  /// For the JSON.
  var values: [String: Double] {
    Dictionary(figures.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
  }

  /// For the terminal: a line a figure, columns aligned.
  var table: String {
    let header = [subject.rawValue, "median", "min … max", "floor", "aim", ""]
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

/// Three digits that count.
func number(_ value: Double) -> String {
  guard value.isFinite else { return "–" }
  let digits =
    abs(value) >= 100 || value == value.rounded() ? 0 : abs(value) >= 10 ? 1 : abs(value) >= 1 ? 2 : 3
  guard digits > 0 else { return String(Int(value.rounded())) }
  let scale = [1.0, 10, 100, 1000][digits]
  let text = String((value * scale).rounded() / scale)
  let have = text.split(separator: ".").last?.count ?? 0
  return text + String(repeating: "0", count: max(0, digits - have))
}
