import Vitrine

/// A script with one command per line. All lines are checked before the first command is played.
nonisolated struct Script: Equatable {
  enum Command: Equatable {
    case waitIdle(seconds: Double)
    case waitLoaded(seconds: Double)
    case wait(seconds: Double)
    case waitFor(title: String, seconds: Double)
    case manualClock
    case advance(seconds: Double)
    case tap(Point)
    case press(Point)
    case move(Point)
    case release
    case drag(from: Point, to: Point, seconds: Double)
    /// A finger rests on a point as long as a long press takes.
    case hold(Point)
    /// Two fingers, side by side around a point, change their distance.
    case pinch(Point, from: Double, to: Double, seconds: Double)
    case wheel(Point, steps: Double)
    case key(Key, KeyModifiers)
    case screen(String)
    case screenshot(String)
    case expect(title: String, ScriptExpectation)
    case quit
  }

  struct Line: Equatable {
    let number: Int
    let command: Command
  }

  /// A line that cannot be parsed.
  struct SyntaxError: Error, Equatable {
    let line: Int
    let message: String
  }

  let lines: [Line]

  init(_ text: String) throws(SyntaxError) {
    var lines: [Line] = []
    var isManual = false
    let text = text.drop { $0 == "\u{FEFF}" }
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .enumerated()
    {
      var words = ScriptWords(number: index + 1, try Self.words(of: line, number: index + 1))
      guard let command = try words.command() else { continue }
      if command == .manualClock { isManual = true }
      try Self.check(command, isManual: isManual, line: index + 1)
      lines.append(Line(number: index + 1, command: command))
    }
    self.lines = lines
  }

  /// The maximum time in seconds by which one command moves a manual clock. Limited because every frame in that time is
  /// run.
  static let longestAdvance = 3600.0

  private static func check(_ command: Command, isManual: Bool, line: Int) throws(SyntaxError) {
    switch command {
    case .advance where !isManual:
      throw SyntaxError(line: line, message: "advance needs “clock manual” before it")
    case .advance(let seconds), .wait(let seconds), .drag(_, _, let seconds), .pinch(_, _, _, let seconds):
      guard !isManual || seconds <= longestAdvance else {
        throw SyntaxError(
          line: line, message: "a manual clock is moved by \(Int(longestAdvance * 1000)) ms at most")
      }
    default: break
    }
  }

  /// Splits a line into words. A quoted title is one word, and `#` outside of quotes begins a comment.
  private static func words(of line: Substring, number: Int) throws(SyntaxError) -> [String] {
    var words: [String] = []
    var word: String?
    var isQuoted = false
    for character in line {
      switch character {
      case "\"":
        isQuoted.toggle()
        word = word ?? ""
      case "#" where !isQuoted && word == nil: return words
      case " ", "\t":
        if isQuoted {
          word?.append(character)
        } else if let finished = word {
          words.append(finished)
          word = nil
        }
      default: word = (word ?? "") + String(character)
      }
    }
    if isQuoted { throw SyntaxError(line: number, message: "a quote is not closed") }
    if let word { words.append(word) }
    return words
  }
}

/// Parses the words of one line.
private nonisolated struct ScriptWords {
  private let number: Int
  private var words: ArraySlice<String>

  init(number: Int, _ words: [String]) {
    self.number = number
    self.words = words[...]
  }

  mutating func command() throws(Script.SyntaxError) -> Script.Command? {
    guard let name = words.popFirst() else { return nil }
    let command: Script.Command
    switch name {
    case "wait": command = try wait()
    case "clock":
      _ = try choice("the clock", of: ["manual"])
      command = .manualClock
    case "advance": command = .advance(seconds: try milliseconds("milliseconds"))
    case "tap": command = .tap(try point())
    case "press": command = .press(try point())
    case "move": command = .move(try point())
    case "release": command = .release
    case "drag":
      command = .drag(from: try point(), to: try point(), seconds: try duration("milliseconds") / 1000)
    case "hold": command = .hold(try point())
    case "pinch":
      command = .pinch(
        try point(), from: try number("the first distance"), to: try number("the second distance"),
        seconds: try duration("milliseconds") / 1000)
    case "wheel": command = .wheel(try point(), steps: try number("steps"))
    case "key": command = try key()
    case "screen": command = .screen(try choice("a screen", of: Options.screens.map(\.name)))
    case "screenshot": command = .screenshot(try word("a file name"))
    case "expect": command = .expect(title: try word("a title"), try expectation())
    case "quit": command = .quit
    default: throw error("unknown command “\(name)”")
    }
    if let extra = words.first { throw error("“\(extra)” is too much after \(name)") }
    return command
  }

  private mutating func expectation() throws(Script.SyntaxError) -> ScriptExpectation {
    switch try choice("“state”, “role”, “value” or “name”", of: ["state", "role", "value", "name"]) {
    case "state": .state(try choice("a state", of: ScriptState.allCases.map(\.rawValue)))
    case "role": .role(try choice("a role", of: AccessibilityRole.allCases.map(\.rawValue)))
    case "value": .value(try word("a value"))
    default: .name(try word("a name"))
    }
  }

  private mutating func wait() throws(Script.SyntaxError) -> Script.Command {
    if words.first == "for" {
      words.removeFirst()
      let title = try word("a title")
      return .waitFor(title: title, seconds: words.isEmpty ? 30 : try duration("seconds"))
    }
    if let condition = words.first, condition == "idle" || condition == "loaded" {
      words.removeFirst()
      let seconds = words.isEmpty ? 30 : try duration("seconds")
      return condition == "idle" ? .waitIdle(seconds: seconds) : .waitLoaded(seconds: seconds)
    }
    return .wait(seconds: try milliseconds("“idle”, “loaded”, “for” or milliseconds"))
  }

  /// Parses a number and the unit `ms`. Returns seconds.
  private mutating func milliseconds(_ meaning: String) throws(Script.SyntaxError) -> Double {
    let milliseconds = try duration(meaning)
    _ = try choice("the unit", of: ["ms"])
    return milliseconds / 1000
  }

  private mutating func key() throws(Script.SyntaxError) -> Script.Command {
    let name = try word("a key")
    var modifiers: KeyModifiers = []
    var parts = name.lowercased().split(separator: "+", omittingEmptySubsequences: false)[...]
    var last = parts.popLast() ?? ""
    // The key itself is a plus: “+” or “shift++”.
    if last.isEmpty, parts.popLast() == "" { last = "+" }
    for part in parts {
      switch part {
      case "shift": modifiers.insert(.shift)
      case "ctrl", "control": modifiers.insert(.control)
      case "alt": modifiers.insert(.alt)
      default: throw error("unknown modifier “\(part)”")
      }
    }
    guard let key = Self.keys[String(last)] ?? Self.characterOrFunctionKey(last) else {
      throw error("unknown key “\(name)”")
    }
    return .key(key, modifiers)
  }

  private static let keys: [String: Key] = [
    "up": .up, "down": .down, "left": .left, "right": .right, "pageup": .pageUp, "pagedown": .pageDown,
    "home": .home, "end": .end, "enter": .enter, "return": .enter, "space": .space, "tab": .tab,
    "escape": .escape, "esc": .escape, "backspace": .backspace,
  ]

  private static func characterOrFunctionKey(_ name: Substring) -> Key? {
    if let first = name.first, name.count == 1 { return .character(first) }
    if name.first == "f", let number = Int(name.dropFirst()), (1...12).contains(number) {
      return .function(number)
    }
    return nil
  }

  private mutating func word(_ meaning: String) throws(Script.SyntaxError) -> String {
    guard let word = words.popFirst() else { throw error("\(meaning) is missing") }
    return word
  }

  /// The largest number in a script, in any unit: points, steps, seconds or milliseconds. Results of arithmetic with
  /// such numbers fit an `Int`.
  private static let largest = 1e9

  private mutating func number(_ meaning: String) throws(Script.SyntaxError) -> Double {
    let text = try word(meaning)
    guard let number = Double(text), number.isFinite else {
      throw error("“\(text)” is no number (\(meaning))")
    }
    guard abs(number) <= Self.largest else { throw error("“\(text)” is too large (\(meaning))") }
    return number
  }

  private mutating func duration(_ meaning: String) throws(Script.SyntaxError) -> Double {
    let number = try number(meaning)
    guard number >= 0 else { throw error("\(number) is no time to wait (\(meaning))") }
    return number
  }

  private mutating func point() throws(Script.SyntaxError) -> Point {
    Point(x: try number("x"), y: try number("y"))
  }

  private mutating func choice(_ meaning: String, of choices: [String]) throws(Script.SyntaxError) -> String {
    let text = try word(meaning)
    guard choices.contains(text) else {
      throw error("“\(text)” is none of \(choices.joined(separator: ", "))")
    }
    return text
  }

  private func error(_ message: String) -> Script.SyntaxError {
    Script.SyntaxError(line: number, message: message)
  }
}
