import Glibc

/// Header fields in their original order. Lookups and comparisons ignore the case of names (RFC 9110, 5.1).
public struct HTTPHeaders: Hashable, Sendable {
  /// A header field.
  public struct Field: Hashable, Sendable {
    /// The name, as given.
    public let name: String
    /// The value, as given. Values from a response have no surrounding white space.
    public let value: String
    fileprivate let mark: NameMark

    /// Creates a field. Neither the name nor the value is checked.
    public init(name: String, value: String) {
      self.name = name
      self.value = value
      mark = NameMark(name)
    }

    /// Returns true if the values are equal, and the names without regard to the case of ASCII letters.
    public static func == (a: Field, b: Field) -> Bool {
      HTTPHeaders.isSame(a.name, b.name) && a.value == b.value
    }

    /// Hashes the value, and only the length of the name, because equal names may differ in case.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(name.utf8.count)
      hasher.combine(value)
    }
  }

  /// All fields in order, including repeated names.
  public private(set) var fields: [Field]

  /// Creates headers with the given fields.
  public init(_ fields: [Field] = []) { self.fields = fields }

  /// The first value of the field `name`. Setting a value replaces all fields of that name; setting nil removes them.
  /// O(n).
  public subscript(name: String) -> String? {
    get {
      let mark = NameMark(name)
      // By index, because a copy of each field would take longer than the comparison.
      for index in fields.indices where fields[index].mark == mark && Self.isSame(fields[index].name, name) {
        return fields[index].value
      }
      return nil
    }
    set {
      fields.removeAll { Self.isSame($0.name, name) }
      if let newValue { fields.append(Field(name: name, value: newValue)) }
    }
  }

  /// Appends a field. Other fields of the same name are kept.
  public mutating func append(name: String, value: String) {
    fields.append(Field(name: name, value: value))
  }

  /// True if there are no fields.
  public var isEmpty: Bool { fields.isEmpty }

  /// Returns the words of all fields called `name` in lower case: the elements of a list that commas separate (RFC
  /// 9110, 5.6.1), split at blanks as well. Splits inside quoted strings too.
  package func words(of name: String) -> [String] {
    var words: [String] = []
    forEachValue(of: name) { value in
      for word in value.utf8.split(whereSeparator: { ", \t".utf8.contains($0) }) {
        words.append(Substring(word).lowercased())
      }
    }
    return words
  }

  /// Calls `body` with the value of each field called `name`, in order. O(n).
  func forEachValue(of name: String, _ body: (String) -> Void) {
    let mark = NameMark(name)
    // By index, because a copy of each field would take longer than the comparison.
    for index in fields.indices where fields[index].mark == mark && Self.isSame(fields[index].name, name) {
      body(fields[index].value)
    }
  }

  /// Returns true if two names are equal without regard to the case of ASCII letters.
  package static func isSame(_ a: String, _ b: String) -> Bool {
    guard a.utf8.count == b.utf8.count else { return false }
    // Contiguous bytes, which native strings have, are compared several times faster.
    let isSame = a.utf8.withContiguousStorageIfAvailable { a in
      b.utf8.withContiguousStorageIfAvailable { b in
        guard let first = a.baseAddress, let second = b.baseAddress else { return true }
        return memcmp(first, second, a.count) == 0 || Self.isSame(a, b)
      }
    }
    return (isSame ?? nil) ?? Self.isSame(a.utf8, b.utf8)
  }

  private static func isSame(_ a: some Sequence<UInt8>, _ b: some Sequence<UInt8>) -> Bool {
    zip(a, b).allSatisfy { $0 == $1 || lowercased($0) == lowercased($1) }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
  }
}

/// The length and the first and last bytes of a name, without regard to case. Names with different marks differ.
private struct NameMark: Equatable {
  private let value: UInt32

  init(_ name: String) {
    // Contiguous bytes, which native strings have, are read several times faster.
    value = name.utf8.withContiguousStorageIfAvailable { Self.value(of: $0) } ?? Self.value(of: name.utf8)
  }

  private static func value(of bytes: some BidirectionalCollection<UInt8>) -> UInt32 {
    let count = UInt32(truncatingIfNeeded: bytes.count)
    // An ASCII letter in upper case and in lower case differ in one bit.
    let first = UInt32(bytes.first ?? 0) | 0x20
    let last = UInt32(bytes.last ?? 0) | 0x20
    return count << 16 | first << 8 | last
  }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
  /// Creates headers from pairs of names and values, such as `["Accept": "image/webp"]`. A name may be repeated.
  public init(dictionaryLiteral elements: (String, String)...) {
    self.init(elements.map { Field(name: $0.0, value: $0.1) })
  }
}
