/// Header fields in the order they were given; names compare without case (RFC 9110, 5.1).
public struct HTTPHeaders: Hashable, Sendable {
  /// A field as it was given.
  public struct Field: Hashable, Sendable {
    /// As it was given; compares without case.
    public let name: String
    /// As it was given, without the white space around it.
    public let value: String

    /// A field; neither name nor value is checked here.
    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// All fields, repeated names included.
  public private(set) var fields: [Field]

  /// The fields in their order.
  public init(_ fields: [Field] = []) { self.fields = fields }

  /// The first value of `name`. Setting replaces every field of that name; nil removes them. O(n).
  public subscript(name: String) -> String? {
    get { fields.first { Self.isSame($0.name, name) }?.value }
    set {
      fields.removeAll { Self.isSame($0.name, name) }
      if let newValue { fields.append(Field(name: name, value: newValue)) }
    }
  }

  /// Adds a field and keeps others of its name.
  public mutating func append(name: String, value: String) {
    fields.append(Field(name: name, value: value))
  }

  /// Whether there is no field.
  public var isEmpty: Bool { fields.isEmpty }

  /// Whether two names are the same but for the case of their ASCII letters.
  package static func isSame(_ a: String, _ b: String) -> Bool {
    guard a.utf8.count == b.utf8.count else { return false }
    // Bytes at hand, as native strings have them, are compared several times faster.
    let isSame = a.utf8.withContiguousStorageIfAvailable { a in
      b.utf8.withContiguousStorageIfAvailable { Self.isSame(a, $0) }
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

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
  /// Fields by name: `["Accept": "image/webp"]`; a name may be repeated.
  public init(dictionaryLiteral elements: (String, String)...) {
    self.init(elements.map { Field(name: $0.0, value: $0.1) })
  }
}
