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
    /// The name, with ASCII letters in lower case.
    let name: String
    let value: String?
  }

  /// The directives, of which there are few. Only the first of each name counts, as RFC 9111, 4.2.1 allows.
  private var directives: [Directive] = []

  /// Parses the `Cache-Control` fields among `headers`. Never fails: a malformed directive counts as a directive of an
  /// unknown name.
  init(_ headers: HTTPHeaders) {
    headers.forEachValue(of: "Cache-Control") { value in
      var value = value
      value.withUTF8 { add($0[...]) }
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

  // Bytes are parsed several times faster than a `Substring`, and each response is parsed a few times.

  private typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

  /// Adds the directives of a field value: its elements are separated by commas outside of quoted strings. A quoted
  /// string without a closing quote extends to the end.
  private mutating func add(_ value: Bytes) {
    var rest = value
    while let end = Self.endOfElement(rest) {
      addDirective(rest[..<end])
      rest = rest[(end + 1)...]
    }
    addDirective(rest)
  }

  /// Returns the index of the first comma outside of quoted strings; nil if there is none.
  private static func endOfElement(_ bytes: Bytes) -> Int? {
    var isQuoted = false
    var isEscaped = false
    return bytes.firstIndex { byte in
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
  }

  private mutating func addDirective(_ element: Bytes) {
    let equals = element.firstIndex(of: UInt8(ascii: "="))
    let name = Self.trimmed(element[..<(equals ?? element.endIndex)])
    guard !name.isEmpty else { return }
    let value = equals.map { Self.unquoted(Self.trimmed(element[($0 + 1)...])) }
    directives.append(Directive(name: Self.lowercased(name), value: value))
  }

  /// Returns the content of a quoted string, or a token unchanged. Both forms must be accepted (RFC 9111, 5.2).
  private static func unquoted(_ text: Bytes) -> String {
    guard text.first == UInt8(ascii: "\"") else { return String(decoding: text, as: UTF8.self) }
    var content: [UInt8] = []
    var isEscaped = false
    for byte in text.dropFirst() {
      if isEscaped || byte != UInt8(ascii: "\\") && byte != UInt8(ascii: "\"") {
        content.append(byte)
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else {
        break
      }
    }
    return String(decoding: content, as: UTF8.self)
  }

  private static func lowercased(_ name: Bytes) -> String {
    String(unsafeUninitializedCapacity: name.count) { buffer in
      for (index, byte) in name.enumerated() {
        buffer[index] = UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
      }
      return name.count
    }
  }

  private static func trimmed(_ text: Bytes) -> Bytes {
    func isBlank(_ byte: UInt8?) -> Bool { byte == UInt8(ascii: " ") || byte == 0x09 }
    var text = text
    while isBlank(text.first) { text.removeFirst() }
    while isBlank(text.last) { text.removeLast() }
    return text
  }
}
