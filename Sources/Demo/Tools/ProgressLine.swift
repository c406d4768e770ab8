/// The progress of a tool on standard error: a bar that is drawn again in its line on a terminal, and otherwise a line
/// of text from time to time.
nonisolated struct ProgressLine {
  /// The number of nanoseconds between two drawings of the bar.
  static let barInterval: Int64 = 100_000_000
  /// The number of nanoseconds between two lines of text.
  static let lineInterval: Int64 = 2_000_000_000
  private static let barWidth = 24

  /// The activity in words, such as `checking`.
  let activity: String
  let isTerminal: Bool
  private var lastTime: Int64?
  private var hasBar = false

  init(activity: String, isTerminal: Bool) {
    self.activity = activity
    self.isTerminal = isTerminal
  }

  /// Returns the text to write, or `nil` if the last one was written a short time ago.
  ///
  /// - Parameters:
  ///   - total: The number of all steps; `nil` if unknown.
  ///   - now: The time in nanoseconds.
  mutating func update(_ done: Int, of total: Int?, at now: Int64) -> String? {
    let interval = isTerminal ? Self.barInterval : Self.lineInterval
    // Without a terminal, the first line appears only if the tool takes long.
    guard let lastTime else {
      self.lastTime = now
      return isTerminal ? bar(done, total) : nil
    }
    guard now - lastTime >= interval else { return nil }
    self.lastTime = now
    return isTerminal ? bar(done, total) : "\(activity) \(counts(done, total))\n"
  }

  /// Returns the text that removes the bar; empty without a bar.
  mutating func end() -> String {
    defer { hasBar = false }
    return hasBar ? "\r\u{1B}[K" : ""
  }

  private mutating func bar(_ done: Int, _ total: Int?) -> String {
    hasBar = true
    guard let total, total > 0 else { return "\r\u{1B}[K\(activity) \(done)" }
    let fraction = Double(min(max(0, done), total)) / Double(total)
    let filled = Int(fraction * Double(Self.barWidth))
    let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: Self.barWidth - filled)
    return "\r\u{1B}[K\(activity) [\(bar)] \(Int(fraction * 100)) % \(counts(done, total))"
  }

  private func counts(_ done: Int, _ total: Int?) -> String { total.map { "\(done) of \($0)" } ?? "\(done)" }
}
