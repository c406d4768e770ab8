import Glibc

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
    let parts = text.utf8.withContiguousStorageIfAvailable { Self.parts(of: $0) }
    guard let (origin, target) = parts ?? nil else { return nil }
    self.origin = origin
    self.target = target
    self.text = text
  }

  private static func parts(
    of text: UnsafeBufferPointer<UInt8>
  ) -> (origin: WebAddress.Origin, target: Target)? {
    let isSecure = begins(text, with: "https://")
    guard isSecure || begins(text, with: "http://") else { return nil }
    let hostStart = isSecure ? 8 : 7
    let hostEnd = end(of: text, from: hostStart, while: isHostByte)
    // The longest name that a name server knows (RFC 1035, 2.3.4).
    guard hostEnd > hostStart, hostEnd - hostStart <= 253, hostEnd < text.count, isLetter(text[hostStart]),
      text[hostEnd - 1] != UInt8(ascii: "."), text[hostEnd - 1] != UInt8(ascii: "-")
    else { return nil }
    var pathStart = hostEnd
    var port = isSecure ? "443" : "80"
    if text[hostEnd] == UInt8(ascii: ":") {
      pathStart = end(of: text, from: hostEnd + 1, while: isDigit)
      port = ascii(text[(hostEnd + 1)..<pathStart])
      // Without leading zeros, because origins are compared as text.
      guard port.utf8.first != UInt8(ascii: "0"), UInt16(port) != nil else { return nil }
    }
    guard pathStart < text.count, text[pathStart] == UInt8(ascii: "/"),
      let pathEnd = endOfPlainPath(text, from: pathStart)
    else { return nil }
    let host = ascii(text[hostStart..<hostEnd])
    let origin = WebAddress.Origin(scheme: isSecure ? "https" : "http", host: host, port: port)
    let query = pathEnd < text.count ? ascii(text[(pathEnd + 1)...]) : nil
    return (origin, Target(path: ascii(text[pathStart..<pathEnd]), query: query))
  }

  private static func begins(_ text: UnsafeBufferPointer<UInt8>, with prefix: StaticString) -> Bool {
    guard let start = text.baseAddress, text.count >= prefix.utf8CodeUnitCount else { return false }
    return memcmp(start, prefix.utf8Start, prefix.utf8CodeUnitCount) == 0
  }

  /// Returns the index of the first byte from `start` on for which `condition` is false.
  private static func end(
    of text: UnsafeBufferPointer<UInt8>, from start: Int, while condition: (UInt8) -> Bool
  ) -> Int {
    var index = start
    while index < text.count, condition(text[index]) { index += 1 }
    return index
  }

  /// Returns ASCII bytes as text.
  private static func ascii(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
    String(decoding: UnsafeBufferPointer(rebasing: bytes), as: UTF8.self)
  }

  /// Returns the end of a path, before the query if there is one. Returns `nil` if libcurl would change the path or the
  /// query.
  private static func endOfPlainPath(_ text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    var previous: UInt8 = 0
    var pathEnd: Int?
    for index in start..<text.count {
      let byte = text[index]
      switch byte {
      case 0x61...0x7A, 0x41...0x5A, 0x30...0x39: break
      case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "/"), UInt8(ascii: "="), UInt8(ascii: "&"):
        break
      case UInt8(ascii: "."): guard pathEnd != nil || previous != UInt8(ascii: "/") else { return nil }
      case UInt8(ascii: "?"):
        guard pathEnd == nil else { return nil }
        pathEnd = index
      default: return nil
      }
      previous = byte
    }
    // Parsers differ about an empty query.
    return previous == UInt8(ascii: "?") ? nil : pathEnd ?? text.count
  }

  private static func isHostByte(_ byte: UInt8) -> Bool {
    isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
