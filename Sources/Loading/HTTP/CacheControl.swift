/// The directives of all `Cache-Control` fields of a message (RFC 9111, 5.2).
struct CacheControl {
  /// The value of a directive that states a number of seconds.
  enum Seconds: Hashable {
    case number(Double)
    /// The directive is present, but has no valid number. A response with such a lifetime counts as stale (RFC 9111,
    /// 4.2.1).
    case invalid
  }

  /// The largest number of seconds, 2^31. A larger number counts as this number (RFC 9111, 1.2.2).
  static let maximumSeconds = 0x1p31

  private struct Directive {
    /// The name in lower case.
    let name: String
    let value: String?
  }

  /// The directives, of which there are few. Only the first of each name counts, as RFC 9111, 4.2.1 allows.
  private var directives: [Directive] = []

  /// Parses the `Cache-Control` fields among `headers`. Never fails: a malformed directive counts as a directive of an
  /// unknown name.
  init(_ headers: HTTPHeaders) {
    headers.forEachValue(of: "Cache-Control") { value in
      for element in Self.elements(value) { add(element) }
    }
  }

  func contains(_ name: String) -> Bool { first(name) != nil }

  /// True if the response must not be stored. With `must-understand`, `no-store` is meant for caches that do not know the
  /// status code (RFC 9111, 5.2.2.3).
  var forbidsStoring: Bool { contains("no-store") && !contains("must-understand") }

  /// True if a stale response must not be used before its server has confirmed it.
  var requiresRevalidation: Bool { contains("no-cache") || contains("must-revalidate") }

  private func first(_ name: String) -> Directive? { directives.first { $0.name == name } }

  /// Returns the value of a directive; nil if the directive is absent.
  func seconds(_ name: String) -> Seconds? {
    guard let directive = first(name) else { return nil }
    return directive.value.flatMap { Self.deltaSeconds($0) }.map { .number($0) } ?? .invalid
  }

  /// Parses a number of seconds of digits only (RFC 9111, 1.2.2), and limits the number to `maximumSeconds`. Returns
  /// nil for any other text.
  static func deltaSeconds(_ text: String) -> Double? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Double(text).map { min($0, maximumSeconds) }
  }

  private mutating func add(_ element: Substring) {
    let equals = element.utf8.firstIndex(of: UInt8(ascii: "="))
    let name = Self.trimmed(element[..<(equals ?? element.endIndex)]).lowercased()
    guard !name.isEmpty else { return }
    let value = equals.map { Self.unquoted(Self.trimmed(element[element.utf8.index(after: $0)...])) }
    directives.append(Directive(name: name, value: value))
  }

  /// Splits a field value at the commas outside of quoted strings. A quoted string without a closing quote extends to
  /// the end.
  private static func elements(_ text: String) -> [Substring] {
    var isQuoted = false
    var isEscaped = false
    let elements = text.utf8.split { byte in
      if isEscaped {
        isEscaped = false
      } else if isQuoted, byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isQuoted.toggle()
      } else {
        return byte == UInt8(ascii: ",") && !isQuoted
      }
      return false
    }
    return elements.map { Substring($0) }
  }

  /// Returns the content of a quoted string, or a token unchanged. Both forms must be accepted (RFC 9111, 5.2).
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
    func isBlank(_ byte: UInt8?) -> Bool { byte == UInt8(ascii: " ") || byte == 0x09 }
    var bytes = text.utf8
    while isBlank(bytes.first) { bytes.removeFirst() }
    while isBlank(bytes.last) { bytes.removeLast() }
    return Substring(bytes)
  }
}
