/// The delimiter of a multipart response, as declared and as found in the body.
///
/// A body should separate its parts with two hyphens and the boundary of the `Content-Type` field (RFC 2046, 5.1.1).
/// Cameras differ: some declare the boundary with the hyphens, some write it without, and some write another boundary
/// than they declare. The first delimiter line of the body therefore determines the delimiter, with any number of
/// hyphens before the declared boundary. Another line that begins with two hyphens counts as the first delimiter if a
/// `Content-…` field follows it. Later delimiters must be equal to the first one.
struct MultipartDelimiter: Sendable {
  enum Line: Hashable {
    case delimiter
    /// The delimiter that ends the response.
    case closing
    /// The first header of a part, after a delimiter that was not declared.
    case firstHeader
    case other
  }

  /// The maximum length of a delimiter line in bytes, without the line end.
  static let maximumBytes = 2 * MediaType.maximumBoundaryBytes

  /// The delimiter with its hyphens; `nil` until the first one was found.
  private(set) var found: [UInt8]?
  /// The declared boundary without leading hyphens; `nil` if none was declared.
  private let declared: [UInt8]?
  /// The previous line, if it may be a delimiter that was not declared.
  private var candidate: [UInt8]?

  init(boundary: String?) {
    let bytes = Array((boundary ?? "").utf8.drop { $0 == UInt8(ascii: "-") })
    declared = bytes.isEmpty ? nil : bytes
  }

  /// Classifies a line outside a part's body, given without its line end.
  mutating func classify(_ line: [UInt8]) -> Line {
    var line = line
    while let last = line.last, last.isBlank { line.removeLast() }
    if let found {
      if line == found { return .delimiter }
      return line.starts(with: found) && line[found.count...].elementsEqual("--".utf8) ? .closing : .other
    }
    let text = line.drop { $0 == UInt8(ascii: "-") }
    if let declared, text.starts(with: declared) {
      let rest = text.dropFirst(declared.count)
      if rest.isEmpty {
        found = line
        return .delimiter
      }
      if rest.elementsEqual("--".utf8) { return .closing }
    }
    if let candidate, Self.isContentField(line) {
      found = candidate
      return .firstHeader
    }
    let mayBeDelimiter =
      !text.isEmpty && line.starts(with: "--".utf8) && line.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    candidate = mayBeDelimiter ? line : nil
    return .other
  }

  /// Returns true for a header field such as `Content-Type: image/jpeg`.
  private static func isContentField(_ line: [UInt8]) -> Bool {
    let name = "content-".utf8
    return line.count > name.count && line.contains(UInt8(ascii: ":"))
      && zip(name, line).allSatisfy { $0 == $1 | 0x20 }
  }
}
