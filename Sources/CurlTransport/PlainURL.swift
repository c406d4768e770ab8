/// An http or https URL of the usual form, such as `https://example.org:8443/a/b.jpg?size=2`, which libcurl's parser
/// leaves as it is. Reading such a URL here takes a tenth of the time.
///
/// The host begins with a letter, so that it is no IPv4 address in an unusual notation. Hosts in upper case or not in
/// ASCII, logins, fragments, percent-encoding, and paths with a segment that begins with a dot are left to libcurl.
struct PlainURL {
  /// The path and the query of a URL.
  struct Target: Hashable, Sendable {
    let path: String
    let query: String?
  }

  let origin: WebAddress.Origin
  let target: Target
  let text: String

  /// Returns `nil` for a URL of another form.
  init?(_ text: String) {
    let parts = text.utf8.withContiguousStorageIfAvailable { Self.parts(of: $0[...]) }
    guard let (origin, target) = parts ?? nil else { return nil }
    self.origin = origin
    self.target = target
    self.text = text
  }

  private static func parts(
    of text: Slice<UnsafeBufferPointer<UInt8>>
  ) -> (origin: WebAddress.Origin, target: Target)? {
    let isSecure = text.starts(with: "https://".utf8)
    guard isSecure || text.starts(with: "http://".utf8) else { return nil }
    let authority = text.dropFirst(isSecure ? 8 : 7)
    let host = authority.prefix(while: isHostByte)
    // The longest name that a name server knows (RFC 1035, 2.3.4).
    guard host.count <= 253, let first = host.first, let last = host.last, isLetter(first),
      last != UInt8(ascii: "."), last != UInt8(ascii: "-")
    else { return nil }
    var rest = authority[host.endIndex...]
    var port = isSecure ? "443" : "80"
    if rest.first == UInt8(ascii: ":") {
      let digits = rest.dropFirst().prefix(while: isDigit)
      guard digits.first != UInt8(ascii: "0"), let number = UInt16(ascii(digits)) else { return nil }
      port = String(number)
      rest = rest[digits.endIndex...]
    }
    guard rest.first == UInt8(ascii: "/"), isPlain(rest) else { return nil }
    let origin = WebAddress.Origin(scheme: isSecure ? "https" : "http", host: ascii(host), port: port)
    let path = rest.prefix { $0 != UInt8(ascii: "?") }
    let query = path.endIndex < rest.endIndex ? ascii(rest[(path.endIndex + 1)...]) : nil
    return (origin, Target(path: ascii(path), query: query))
  }

  /// Returns ASCII bytes as text.
  private static func ascii(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
    String(decoding: UnsafeBufferPointer(rebasing: bytes), as: UTF8.self)
  }

  /// Returns true if libcurl changes nothing in a path with an optional query.
  private static func isPlain(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    var previous: UInt8 = 0
    var isQuery = false
    for byte in text {
      switch byte {
      case 0x61...0x7A, 0x41...0x5A, 0x30...0x39: break
      case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "/"), UInt8(ascii: "="), UInt8(ascii: "&"):
        break
      case UInt8(ascii: "."): guard isQuery || previous != UInt8(ascii: "/") else { return false }
      case UInt8(ascii: "?"):
        guard !isQuery else { return false }
        isQuery = true
      default: return false
      }
      previous = byte
    }
    // Parsers differ about an empty query.
    return previous != UInt8(ascii: "?")
  }

  private static func isHostByte(_ byte: UInt8) -> Bool {
    isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
