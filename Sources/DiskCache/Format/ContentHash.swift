import CHashing
import VitrineLoading

/// A 128-bit XXH3 hash, which detects damage and names files. Runs at the speed of memory. The hash is not
/// cryptographic and does not protect secrets; `FolderKey` does.
struct ContentHash: Hashable, Sendable {
  let high, low: UInt64

  init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  init(_ bytes: UnsafeRawBufferPointer) {
    let hash = vitrine_hash(bytes.baseAddress, bytes.count)
    self.init(high: hash.high64, low: hash.low64)
  }

  init(_ bytes: [UInt8]) { self = bytes.withUnsafeBytes { ContentHash($0) } }

  /// The hash as 32 lowercase hexadecimal digits.
  var hex: String {
    String(unsafeUninitializedCapacity: 32) { digits in
      for index in 0..<32 {
        let word = index < 16 ? high : low
        let digit = UInt8(truncatingIfNeeded: word >> (60 - 4 * UInt64(index % 16))) & 0x0F
        digits[index] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + (digit - 10)
      }
      return 32
    }
  }

  /// Parses 32 lowercase hexadecimal digits, the format of `hex`; nil for any other text.
  init?(hex text: Substring) {
    let digits = text.utf8
    guard digits.count == 32, digits.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }),
      let high = UInt64(text.prefix(16), radix: 16), let low = UInt64(text.suffix(16), radix: 16)
    else { return nil }
    self.init(high: high, low: low)
  }
}

extension BodyDigest {
  /// Creates the digest of a body from its hash.
  init(_ hash: ContentHash) { self.init(high: hash.high, low: hash.low) }
}
