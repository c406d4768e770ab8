import VitrineGraphics

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
    return SHA256.digest(message).hexadecimal
  }
}
