/// Digests for comparing secrets that must not be stored or shown.
package enum SecretDigest {
  /// Returns the SHA-256 digest of a list of texts as 64 hexadecimal digits. Texts are delimited, so `["ab", "c"]` and
  /// `["a", "bc"]` differ.
  package static func hex(_ parts: [String]) -> String {
    var message: [UInt8] = []
    for part in parts {
      let bytes = Array(part.utf8)
      for shift in stride(from: 56, through: 0, by: -8) {
        message.append(UInt8(truncatingIfNeeded: UInt64(bytes.count) >> UInt64(shift)))
      }
      message += bytes
    }
    return hex(SHA256.digest(message))
  }

  /// Returns a digest as two lowercase hexadecimal digits per byte.
  package static func hex(_ digest: [UInt8]) -> String {
    digest.map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
  }
}
