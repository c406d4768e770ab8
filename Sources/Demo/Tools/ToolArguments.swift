/// The arguments of a tool, one after the other. `--name value` and `--name=value` are equivalent.
nonisolated struct ToolArguments {
  enum Argument {
    case word(String)
    case option(String)
  }

  private var remaining: ArraySlice<String>
  private var name = ""
  /// The value after an equals sign, until it is used.
  private var inlineValue: String?

  init(_ arguments: ArraySlice<String>) { remaining = arguments }

  /// Returns the next argument; `nil` at the end. `-` alone is a word.
  mutating func next() throws(Options.UsageError) -> Argument? {
    guard let argument = remaining.popFirst() else { return nil }
    guard argument.hasPrefix("-"), argument != "-" else { return .word(argument) }
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    name = String(parts[0])
    inlineValue = parts.count > 1 ? String(parts[1]) : nil
    return .option(name)
  }

  /// Returns the value of the option that was read last.
  mutating func value(_ meaning: String) throws(Options.UsageError) -> String {
    defer { inlineValue = nil }
    if let inlineValue, !inlineValue.isEmpty { return inlineValue }
    guard inlineValue == nil, let next = remaining.first, !next.isEmpty, !next.hasPrefix("--") else {
      throw Options.UsageError(message: "\(name) needs \(meaning)")
    }
    remaining.removeFirst()
    return next
  }

  /// Throws if the option that was read last has a value and takes none.
  func checkValueIsUsed() throws(Options.UsageError) {
    if inlineValue != nil { throw Options.UsageError(message: "\(name) takes no value") }
  }
}
