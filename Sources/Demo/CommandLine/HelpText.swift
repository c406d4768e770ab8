/// The text of a `--help`: usage, options in two columns, and explanations.
nonisolated struct HelpText {
  struct Option {
    let name: String
    /// The name of the value; empty for an option without a value.
    let value: String
    /// The meaning in lines, without a period.
    let meaning: String

    init(_ name: String, _ value: String, _ meaning: String) {
      self.name = name
      self.value = value
      self.meaning = meaning
    }
  }

  /// The lines before the options.
  let usage: [String]
  let options: [Option]
  /// The lines after the options, without the exit codes.
  let notes: [String]

  private static let exitCodes = [
    "Esc, Ctrl-C and SIGTERM quit. Exit codes: 0 success, 1 a check failed or the program could not continue,",
    "2 wrong usage.",
  ]
  /// The column of the meanings.
  private static let column = 24

  var text: String {
    (usage + [""] + options.flatMap(Self.lines) + [""] + notes + Self.exitCodes).joined(separator: "\n")
  }

  private static func lines(of option: Option) -> [String] {
    let head = "  \(option.name) \(option.value)"
    let meaning = option.meaning.split(separator: "\n")
    let first = head + String(repeating: " ", count: max(1, column - head.count)) + (meaning.first ?? "")
    return [first] + meaning.dropFirst().map { String(repeating: " ", count: column) + $0 }
  }
}
