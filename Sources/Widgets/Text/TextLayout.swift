import VitrineGraphics

/// A text broken into lines: at newlines, between words, and within a word that is wider than a line. Text beyond the
/// last line is truncated with an ellipsis.
struct TextLayout {
  struct Line: Hashable {
    let text: String
    let width: Double
  }

  private(set) var lines: [Line] = []
  private(set) var isTruncated = false
  let lineHeight, width: Double

  private let font: Font
  private let measuring: any TextMeasuring

  /// The width of the widest line and the height of all lines.
  var size: Size { Size(width: lines.reduce(0) { max($0, $1.width) }, height: height(of: lines.count)) }

  func height(of lineCount: Int) -> Double { Double(lineCount) * lineHeight }

  /// Lays out a text.
  ///
  /// - Parameter maximumLines: The maximum number of lines; 0 for no limit.
  init(_ text: String, font: Font, width: Double, maximumLines: Int, measuring: any TextMeasuring) {
    self.font = font
    self.width = width
    self.measuring = measuring
    lineHeight = measuring.size(of: "", font: font).height
    guard !text.isEmpty, width > 0 else { return }
    var remaining = text[...]
    while true {
      let paragraph = remaining.prefix { !$0.isNewline }
      let isLast = paragraph.endIndex == remaining.endIndex
      append(paragraph, isLast: isLast, maximumLines: maximumLines)
      if isLast || isTruncated { return }
      remaining = remaining[remaining.index(after: paragraph.endIndex)...]
    }
  }

  /// True if the layout stays the same for another width and another maximum number of lines.
  func isValid(width: Double, maximumLines: Int) -> Bool {
    if maximumLines > 0, lines.count > maximumLines { return false }
    if isTruncated { return false }
    return width == self.width || (lines.count == 1 && width >= size.width)
  }

  private mutating func append(_ paragraph: Substring, isLast: Bool, maximumLines: Int) {
    var remaining = paragraph
    repeat {
      let isLastLine = lines.count + 1 == maximumLines
      let remainingWidth = measure(remaining)
      if remainingWidth <= width, isLast || !isLastLine {
        lines.append(Line(text: String(remaining), width: remainingWidth))
        return
      }
      if isLastLine {
        isTruncated = true
        lines.append(truncated(remaining))
        return
      }
      let line = lineThatFits(remaining)
      lines.append(Line(text: String(line), width: measure(line)))
      remaining = remaining[line.endIndex...].drop { $0 == " " }
    } while !remaining.isEmpty
  }

  /// Returns as many words as fit, or else as many characters of the first word as fit, at least one.
  private func lineThatFits(_ text: Substring) -> Substring {
    var end: Substring.Index?
    var index = text.startIndex
    while let space = text[index...].firstIndex(of: " ") {
      if space > text.startIndex {
        guard measure(text[..<space]) <= width else { break }
        end = space
      }
      index = text.index(after: space)
    }
    if let end { return text[..<end] }
    let count = longestPrefix(of: text) { measure($0) <= width }
    return text.prefix(max(1, count))
  }

  /// Returns as many characters as fit in front of an ellipsis.
  private func truncated(_ text: Substring) -> Line {
    let count = longestPrefix(of: text) { measure(Self.addingEllipsis($0)) <= width }
    let shown = Self.addingEllipsis(text.prefix(count))
    return Line(text: String(shown), width: measure(shown))
  }

  private static func addingEllipsis(_ text: Substring) -> Substring {
    var text = text
    while text.last == " " { text.removeLast() }
    return text + "\u{2026}"
  }

  /// Returns the number of characters of the longest prefix that fits, by bisection.
  private func longestPrefix(of text: Substring, where fits: (Substring) -> Bool) -> Int {
    var low = 0
    var high = text.count
    while low < high {
      let middle = (low + high + 1) / 2
      if fits(text.prefix(middle)) { low = middle } else { high = middle - 1 }
    }
    return low
  }

  private func measure(_ text: Substring) -> Double { measuring.size(of: String(text), font: font).width }
}
