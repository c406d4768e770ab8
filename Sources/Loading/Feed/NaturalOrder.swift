/// The order of file names that people expect: numbers by their value, so that "2" comes before "10", and letters
/// regardless of their case.
enum NaturalOrder {
  /// Returns names in order. The order does not depend on that of the given names. O(n log n).
  static func sorted(_ names: [String]) -> [String] {
    names.map { (key: key($0), name: $0) }.sorted { a, b in
      a.key == b.key ? a.name < b.name : a.key.lexicographicallyPrecedes(b.key)
    }.map(\.name)
  }

  /// Returns bytes whose order is that of the names: the number of digits comes before each number.
  private static func key(_ name: String) -> [UInt8] {
    var key: [UInt8] = []
    var rest = Array(name.lowercased().utf8)[...]
    while let byte = rest.first {
      guard isDigit(byte) else {
        key.append(byte)
        rest.removeFirst()
        continue
      }
      let digits = rest.prefix(while: isDigit).drop { $0 == UInt8(ascii: "0") }
      rest = rest.drop(while: isDigit)
      // Digits sort as before among other characters. A file name has at most 255 bytes.
      key += [UInt8(ascii: "0"), UInt8(clamping: digits.count)] + digits
    }
    return key
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
