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
    case tap(ScriptPlace)
    /// A tap of a finger.
    case touch(ScriptPlace)
    case press(ScriptPlace)
    case move(Point)
    case release
    case drag(from: Point, to: Point, seconds: Double)
    /// A finger rests on a point as long as a long press takes.
    case hold(ScriptPlace)
    /// Two fingers, side by side around a point, change their distance.
    case pinch(ScriptPlace, from: Double, to: Double, seconds: Double)
    case wheel(ScriptPlace, steps: Double, KeyModifiers)
    case key(Key, KeyModifiers)
    /// A button of a gamepad is pressed and released.
    case pad(GamepadButton)
    /// The stick of a gamepad is moved to a position, where it stays.
    case stick(x: Double, y: Double)
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
