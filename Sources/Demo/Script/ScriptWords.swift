import Vitrine

/// Parses the words of one line.
nonisolated struct ScriptWords {
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
    case "tap": command = .tap(try place())
    case "touch": command = .touch(try place())
    case "press": command = .press(try place())
    case "move": command = .move(try point())
    case "release": command = .release
    case "drag":
      command = .drag(from: try point(), to: try point(), seconds: try duration("milliseconds") / 1000)
    case "hold": command = .hold(try place())
    case "pinch":
      command = .pinch(
        try place(), from: try number("the first distance"), to: try number("the second distance"),
        seconds: try duration("milliseconds") / 1000)
    case "wheel":
      command = .wheel(
        try place(), steps: try number("steps"), words.isEmpty ? [] : try modifier(try word("a modifier")))
    case "key": command = try key()
    case "pad":
      let name = try choice("a button", of: GamepadButton.allCases.map(\.rawValue))
      command = .pad(GamepadButton(rawValue: name) ?? .a)
    case "stick": command = .stick(x: try number("x"), y: try number("y"))
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
    for part in parts { modifiers.insert(try modifier(String(part))) }
    guard let key = Self.keys[String(last)] ?? Self.characterOrFunctionKey(last) else {
      throw error("unknown key “\(name)”")
    }
    return .key(key, modifiers)
  }

  private func modifier(_ name: String) throws(Script.SyntaxError) -> KeyModifiers {
    switch name {
    case "shift": .shift
    case "ctrl", "control": .control
    case "alt": .alt
    default: throw error("unknown modifier “\(name)”")
    }
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

  /// Parses a point, or `on` and the title of a view.
  private mutating func place() throws(Script.SyntaxError) -> ScriptPlace {
    guard words.first == "on" else { return .point(try point()) }
    words.removeFirst()
    return .view(try word("a title"))
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
