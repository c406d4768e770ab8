/// The directives of `Cache-Control` (RFC 9111, 5.2), of all its fields together.
struct CacheControl: Hashable {
  /// What a directive that counts seconds says.
  enum Seconds: Hashable {
    case number(Double)
    /// It is there, and no number: an answer with one is taken for stale (RFC 9111, 4.2.1).
    case invalid
  }

  /// More than this counts as this (RFC 9111, 1.2.2).
  static let mostSeconds = 0x1p31

  /// By name in lower case: the first of each name, as RFC 9111, 4.2.1 allows.
  private var values: [String: String?] = [:]

  /// Never fails: what cannot be understood takes part as a directive of a name that nobody knows.
  init(_ headers: HTTPHeaders) {
    for field in headers.fields where HTTPHeaders.isSame(field.name, "Cache-Control") {
      for element in Self.elements(field.value) { add(element) }
    }
  }

  func contains(_ name: String) -> Bool { values[name] != nil }

  /// Nil where the directive is not there.
  func seconds(_ name: String) -> Seconds? {
    guard let value = values[name] else { return nil }
    return value.flatMap { Self.deltaSeconds($0) }.map { .number($0) } ?? .invalid
  }

  /// Of digits alone (RFC 9111, 1.2.2), at most `mostSeconds`; nil for anything else.
  static func deltaSeconds(_ text: String) -> Double? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Double(text).map { min($0, mostSeconds) }
  }

  private mutating func add(_ element: Substring) {
    let halves = element.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = Self.trimmed(halves[0]).lowercased()
    guard !name.isEmpty, values[name] == nil else { return }
    values[name] = .some(halves.count == 2 ? Self.unquoted(Self.trimmed(halves[1])) : nil)
  }

  /// Between commas, but for those within quotes. A quote that is not closed goes on to the end.
  private static func elements(_ text: String) -> [Substring] {
    var isQuoted = false
    var isEscaped = false
    return text.split { character in
      if isEscaped {
        isEscaped = false
      } else if isQuoted, character == "\\" {
        isEscaped = true
      } else if character == "\"" {
        isQuoted.toggle()
      } else {
        return character == "," && !isQuoted
      }
      return false
    }
  }

  /// Both forms are to be read (RFC 9111, 5.2).
  private static func unquoted(_ text: Substring) -> String {
    guard text.hasPrefix("\"") else { return String(text) }
    var result = ""
    var isEscaped = false
    for character in text.dropFirst() {
      if isEscaped || character != "\\" && character != "\"" {
        result.append(character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else {
        break
      }
    }
    return result
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text
    while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
  }
}
