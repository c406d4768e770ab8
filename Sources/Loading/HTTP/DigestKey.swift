import VitrineGraphics

/// A random key for digests of secrets (HMAC-SHA-256). Digests that were made with one key are useless without it, and
/// do not match digests of another key.
package struct DigestKey: Hashable, Sendable {
  /// The length of a key in bytes.
  package static let count = 32

  private let bytes: [UInt8]

  /// Creates a key from `count` bytes; nil for another number of bytes.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.count else { return nil }
    self.bytes = bytes
  }

  /// Returns the digest of a secret, 32 bytes.
  package func digest(_ secret: [UInt8]) -> [UInt8] { SHA256.authenticationCode(secret, key: bytes) }

  /// Returns the fields with digests in place of the values. The digest includes the name, so that equal values of two
  /// fields have different digests.
  package func digested(_ fields: [HTTPHeaders.Field]) -> [HTTPHeaders.Field] {
    fields.map { field in
      // Each text is preceded by its length in four bytes, so that "ab" + "c" and "a" + "bc" differ.
      let message = [field.name, field.value].flatMap { text in
        (0..<4).map { UInt8(truncatingIfNeeded: text.utf8.count >> (8 * $0)) } + Array(text.utf8)
      }
      return HTTPHeaders.Field(name: field.name, value: digest(message).hexadecimal)
    }
  }
}
