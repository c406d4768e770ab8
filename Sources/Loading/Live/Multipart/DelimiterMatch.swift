/// Compares bytes at the start of a line with a delimiter line, one byte at a time.
///
/// A delimiter line is the delimiter (`--boundary`), two hyphens if it ends the response, blanks, and LF or CRLF.
struct DelimiterMatch: Sendable {
  enum Step: Hashable {
    /// More bytes are needed.
    case incomplete
    /// The bytes are no delimiter line. The last byte may be the beginning of another line.
    case different
    /// The line is complete.
    case delimiter(isClosing: Bool)
  }

  /// The maximum number of blanks after a delimiter.
  private static let maximumBlanks = 64

  private let delimiter: [UInt8]
  private var count = 0
  private var hyphens = 0
  private var blanks = 0
  private var hasReturn = false

  init(_ delimiter: [UInt8]) { self.delimiter = delimiter }

  /// True if the line is a delimiter line that lacks only the line end.
  var isWhole: Bool { count == delimiter.count && hyphens != 1 }

  mutating func next(_ byte: UInt8) -> Step {
    if count < delimiter.count {
      guard byte == delimiter[count] else { return .different }
      count += 1
      return .incomplete
    }
    switch byte {
    case UInt8(ascii: "\n"): return hyphens == 1 ? .different : .delimiter(isClosing: hyphens == 2)
    case _ where hasReturn: return .different
    case UInt8(ascii: "\r") where hyphens != 1: hasReturn = true
    case UInt8(ascii: "-") where hyphens < 2 && blanks == 0: hyphens += 1
    case UInt8(ascii: " "), UInt8(ascii: "\t"):
      blanks += 1
      if hyphens == 1 || blanks > Self.maximumBlanks { return .different }
    default: return .different
    }
    return .incomplete
  }
}
