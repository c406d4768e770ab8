@testable import VitrineDemo

/// Parses text as a script of the demo.
enum ScriptTexts {
  static func fuzz(_ bytes: [UInt8]) -> Bool {
    guard let text = String(validating: bytes, as: UTF8.self) else { return false }
    guard let lines = try? Script(text).lines else { return true }
    precondition(zip(lines, lines.dropFirst()).allSatisfy { $0.number < $1.number }, "in order")
    return true
  }
}
