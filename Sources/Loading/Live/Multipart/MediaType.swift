/// The media type of a `Content-Type` field, as far as multipart responses need it (RFC 9110, 8.3.1).
struct MediaType: Hashable, Sendable {
  /// The maximum length of a boundary in bytes. RFC 2046, 5.1.1 allows 70.
  static let maximumBoundaryBytes = 200

  /// The type and subtype in lower case, without parameters: `multipart/x-mixed-replace`.
  let essence: String
  /// The value of the first `boundary` parameter, unquoted; `nil` if the parameter is missing, empty or too long.
  let boundary: String?

  /// Parses the value of a `Content-Type` field. Any text is accepted; what cannot be parsed is ignored.
  init(_ field: String) {
    let bytes = Array(field.utf8)
    let end = bytes.firstIndex { $0 == UInt8(ascii: ";") } ?? bytes.count
    essence = String(decoding: bytes[..<end], as: UTF8.self).lowercased().filter { $0 != " " && $0 != "\t" }
    var parameters = Parameters(bytes[end...])
    var boundary: [UInt8]?
    while boundary == nil, let (name, value) = parameters.next() {
      if HTTPHeaders.isSame(name, "boundary") { boundary = value }
    }
    self.boundary = boundary.flatMap { value in
      value.isEmpty || value.count > Self.maximumBoundaryBytes ? nil : String(decoding: value, as: UTF8.self)
    }
  }

  /// True if the body consists of parts, of which each replaces the one before in a live stream.
  var isMultipart: Bool { essence.hasPrefix("multipart/") }
}

/// The parameters after a media type: `; name=value; name="quoted value"`.
private struct Parameters {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  /// Returns the next parameter that has a value.
  mutating func next() -> (name: String, value: [UInt8])? {
    while !rest.isEmpty {
      rest = rest.drop { $0 == UInt8(ascii: ";") || $0.isBlank }
      let name = rest.prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") }
      rest = rest[name.endIndex...]
      guard rest.first == UInt8(ascii: "=") else { continue }
      rest = rest.dropFirst().drop(while: \.isBlank)
      return (String(decoding: name.trimmingBlanks, as: UTF8.self), value())
    }
    return nil
  }

  private mutating func value() -> [UInt8] {
    guard rest.first == UInt8(ascii: "\"") else {
      let value = rest.prefix { $0 != UInt8(ascii: ";") }
      rest = rest[value.endIndex...]
      return Array(value.trimmingBlanks)
    }
    rest = rest.dropFirst()
    var value: [UInt8] = []
    while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
      // A backslash quotes the next byte (RFC 9110, 5.6.4).
      let isQuoting = byte == UInt8(ascii: "\\") && !rest.isEmpty
      value.append(isQuoting ? rest.removeFirst() : byte)
    }
    rest = rest.drop { $0 != UInt8(ascii: ";") }
    return value
  }
}

extension UInt8 {
  /// True for a space or a tab in ASCII.
  var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}

extension ArraySlice<UInt8> {
  /// The bytes without the spaces and tabs at both ends.
  var trimmingBlanks: ArraySlice<UInt8> {
    var bytes = drop(while: \.isBlank)
    while let last = bytes.last, last.isBlank { bytes.removeLast() }
    return bytes
  }
}
