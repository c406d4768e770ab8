/// One header line of an answer.
struct Header: Hashable {
  var name: String
  var value: String

  init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }

  /// Reads `NAME:VALUE`; nil when there is no name, or something that would end the line.
  init?(line: String) {
    let name = line.prefix { $0 != ":" }
    let value = line.dropFirst(name.count + 1).drop { $0 == " " }
    guard !name.isEmpty, name.count < line.count, Self.isValue(name), Self.isValue(value) else {
      return nil
    }
    self.init(String(name), String(value))
  }

  /// Whether the text stays on one line, so that no request can write a head of its own.
  static func isValue(_ text: some StringProtocol) -> Bool {
    text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
  }
}

extension [Header] {
  /// Sets a header in place of those of the same name, whatever their case.
  mutating func set(_ name: String, _ value: String) {
    removeAll { $0.name.lowercased() == name.lowercased() }
    append(Header(name, value))
  }

  /// The value of the first header called `name`, whatever its case.
  func value(of name: String) -> String? {
    first { $0.name.lowercased() == name.lowercased() }?.value
  }
}
