import VitrineGraphics

/// The content of a data URL (RFC 2397): `data:[media type][;base64],content`.
///
/// Parsed as leniently as by browsers: base64 may lack padding and contain white space.
struct DataURL {
  let mediaType: String
  let body: [UInt8]

  /// Parses a data URL. O(length). Throws `.invalidURL` with the first 64 characters of any other text.
  init(_ text: String) throws(ImageError) {
    let bytes = Array(text.utf8)
    let end = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.count
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
      let comma = bytes[..<end].firstIndex(of: UInt8(ascii: ",")), colon < comma
    else { throw Self.invalid(text) }
    var head = String(decoding: bytes[(colon + 1)..<comma], as: UTF8.self)
    let content = bytes[(comma + 1)..<end].percentDecoded
    let isBase64 = head.lowercased().hasSuffix(";base64")
    if isBase64 { head.removeLast(";base64".count) }
    mediaType = head.isEmpty ? "text/plain;charset=US-ASCII" : head
    guard isBase64 else {
      body = content
      return
    }
    guard let decoded = Self.base64Decoded(content) else { throw Self.invalid(text) }
    body = decoded
  }

  private static func invalid(_ text: String) -> ImageError { .invalidURL(String(text.prefix(64))) }

  /// Returns nil for a character that is not part of base64, and for an impossible length or padding.
  private static func base64Decoded(_ text: [UInt8]) -> [UInt8]? {
    var result: [UInt8] = []
    result.reserveCapacity(text.count / 4 * 3 + 2)
    var bits: UInt32 = 0
    var count = 0
    var padding = 0
    for byte in text where !isSpace(byte) {
      if byte == UInt8(ascii: "=") {
        padding += 1
        continue
      }
      guard padding == 0, let value = base64Value(byte) else { return nil }
      bits = bits << 6 | UInt32(value)
      count += 1
      guard count % 4 == 0 else { continue }
      result.append(UInt8(truncatingIfNeeded: bits >> 16))
      result.append(UInt8(truncatingIfNeeded: bits >> 8))
      result.append(UInt8(truncatingIfNeeded: bits))
    }
    switch count % 4 {
    case 0: return padding == 0 ? result : nil
    case 2 where padding == 0 || padding == 2: result.append(UInt8(truncatingIfNeeded: bits >> 4))
    case 3 where padding <= 1:
      result.append(UInt8(truncatingIfNeeded: bits >> 10))
      result.append(UInt8(truncatingIfNeeded: bits >> 2))
    default: return nil
    }
    return result
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte) && byte != 0x0B
  }

  /// Returns the value of a digit, in the usual or in the URL-safe alphabet; nil for other bytes.
  private static func base64Value(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
