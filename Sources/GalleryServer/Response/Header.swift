/// A header line of a response.
struct Header: Hashable {
  var name: String
  var value: String

  init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }

  /// Parses `NAME:VALUE`. Returns `nil` if there is no name or colon, or if the text contains control characters.
  init?(line: String) {
    let name = line.prefix { $0 != ":" }
    let value = line.dropFirst(name.count + 1).drop { $0 == " " }
    guard !name.isEmpty, name.count < line.count, Self.isValue(name), Self.isValue(value) else {
      return nil
    }
    self.init(String(name), String(value))
  }

  /// Returns true if the text contains no control characters, so that a request cannot inject header lines.
  static func isValue(_ text: some StringProtocol) -> Bool {
    text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
  }
}

extension [Header] {
  /// Replaces all headers with this name by one header. Ignores the case of names.
  mutating func set(_ name: String, _ value: String) {
    removeAll { $0.name.lowercased() == name.lowercased() }
    append(Header(name, value))
  }

  /// Returns the value of the first header with this name, or `nil`. Ignores the case of names.
  func value(of name: String) -> String? { first { $0.name.lowercased() == name.lowercased() }?.value }
}
