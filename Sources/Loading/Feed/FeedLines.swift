/// The lines of a UTF-8 text, as ranges of byte indices without line ends.
struct FeedLines: IteratorProtocol {
  private let text: [UInt8]
  private var position = 0

  init(_ text: [UInt8]) { self.text = text }

  mutating func next() -> Range<Int>? {
    guard position < text.count else { return nil }
    let line = Self.line(of: text, at: position)
    position = line.upperBound + max(1, Self.lineEndLength(of: text, at: line.upperBound))
    return line
  }

  /// Returns the line that begins at an index.
  static func line(of text: [UInt8], at start: Int) -> Range<Int> {
    var end = start
    while end < text.count, lineEndLength(of: text, at: end) == 0 { end += 1 }
    return start..<end
  }

  /// Returns the number of bytes of the line end at an index; 0 if there is none. All newline characters of Unicode
  /// count.
  private static func lineEndLength(of text: [UInt8], at index: Int) -> Int {
    guard index < text.count else { return 0 }
    func byte(_ offset: Int) -> UInt8 { index + offset < text.count ? text[index + offset] : 0 }
    switch text[index] {
    case 0x0D: return byte(1) == 0x0A ? 2 : 1
    case 0x0A, 0x0B, 0x0C: return 1
    case 0xC2: return byte(1) == 0x85 ? 2 : 0
    case 0xE2: return byte(1) == 0x80 && (byte(2) == 0xA8 || byte(2) == 0xA9) ? 3 : 0
    default: return 0
    }
  }

  /// Returns the line without spaces, tabs and byte order marks at both ends.
  static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    var line = line
    while let first = line.first {
      if first == 0x20 || first == 0x09 {
        line = line.dropFirst()
      } else if first == mark[0], line.starts(with: mark) {
        line = line.dropFirst(3)
      } else {
        break
      }
    }
    while let last = line.last {
      if last == 0x20 || last == 0x09 {
        line = line.dropLast()
      } else if last == mark[2], line.suffix(3).elementsEqual(mark) {
        line = line.dropLast(3)
      } else {
        break
      }
    }
    return line
  }

  static func trim(_ text: some StringProtocol) -> String {
    String(decoding: trimmed(ArraySlice(text.utf8)), as: UTF8.self)
  }
}
