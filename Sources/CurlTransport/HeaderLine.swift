import VitrineLoading

/// A validated header field in libcurl's format. libcurl itself sends any text unchecked.
struct HeaderLine: Hashable, Sendable {
  let text: String

  /// Throws if the name is not a token or the value contains CR, LF or NUL (RFC 9110, 5.1 and 5.5).
  init(_ field: HTTPHeaders.Field) throws(ImageError) {
    guard !field.name.isEmpty, field.name.utf8.allSatisfy(Self.isTokenByte) else {
      throw .transport(
        .invalidRequest, message: "a header's name cannot be sent: \(field.name.debugDescription)")
    }
    let value = try Self.checked(value: field.value, of: field.name)
    // libcurl reads `Name:` as "do not send this field", and `Name;` as "send this field with an empty value".
    let isEmpty = value.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 }
    text = isEmpty ? "\(field.name);" : "\(field.name): \(value)"
  }

  /// Returns the value. Throws if it contains CR, LF or NUL, which would break out of the header line.
  static func checked(value: String, of name: String) throws(ImageError) -> String {
    guard !value.utf8.contains(where: { $0 == 0x0D || $0 == 0x0A || $0 == 0 }) else {
      throw .transport(.invalidRequest, message: "a header's value cannot be sent: \(name)")
    }
    return value
  }

  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
