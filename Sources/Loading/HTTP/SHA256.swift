/// SHA-256 (FIPS 180-4) and HMAC-SHA-256 (RFC 2104), for digests of secrets. A header value or a login cannot be
/// derived from its digest, unlike from a fast hash of a short text.
package enum SHA256 {
  /// Returns the SHA-256 digest of `bytes`, 32 bytes.
  package static func digest(_ bytes: [UInt8]) -> [UInt8] {
    var state: [UInt32] = [
      0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab,
      0x5be0_cd19,
    ]
    let padded = padding(bytes)
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { words in
      words.initialize(repeating: 0)
      padded.withUnsafeBytes { blocks in
        for start in stride(from: 0, to: blocks.count, by: 64) {
          schedule(UnsafeRawBufferPointer(rebasing: blocks[start..<start + 64]), words)
          compress(words, &state)
        }
      }
    }
    return [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
      for index in 0..<32 {
        buffer.initializeElement(
          at: index, to: UInt8(truncatingIfNeeded: state[index / 4] >> (24 - 8 * UInt32(index % 4))))
      }
      count = 32
    }
  }

  /// Returns the HMAC-SHA-256 of `bytes` under `key`, 32 bytes.
  package static func authenticationCode(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
    let short = key.count > 64 ? digest(key) : key
    let block = short + [UInt8](repeating: 0, count: 64 - short.count)
    return digest(block.map { $0 ^ 0x5c } + digest(block.map { $0 ^ 0x36 } + bytes))
  }

  /// Returns the bytes followed by a one bit, zeros and the number of bits; the length is a multiple of 64 bytes.
  private static func padding(_ bytes: [UInt8]) -> [UInt8] {
    let length = (bytes.count + 9 + 63) / 64 * 64
    return [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
      _ = buffer.initialize(fromContentsOf: bytes)
      buffer[bytes.count...].initialize(repeating: 0)
      buffer[bytes.count] = 0x80
      let bits = UInt64(bytes.count) << 3
      for index in 0..<8 {
        buffer[length - 1 - index] = UInt8(truncatingIfNeeded: bits >> (8 * UInt64(index)))
      }
      count = length
    }
  }

  private static func schedule(
    _ block: UnsafeRawBufferPointer, _ words: UnsafeMutableBufferPointer<UInt32>
  ) {
    for index in 0..<16 {
      words[index] = UInt32(bigEndian: block.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self))
    }
    for index in 16..<64 {
      let (early, late) = (words[index - 15], words[index - 2])
      let first = rotated(early, 7) ^ rotated(early, 18) ^ (early >> 3)
      let second = rotated(late, 17) ^ rotated(late, 19) ^ (late >> 10)
      words[index] = words[index - 16] &+ first &+ words[index - 7] &+ second
    }
  }

  private static func compress(_ words: UnsafeMutableBufferPointer<UInt32>, _ state: inout [UInt32]) {
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    for index in 0..<64 {
      let choice = (e & f) ^ (~e & g)
      let sum = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
      let first = h &+ sum &+ choice &+ constants[index] &+ words[index]
      let majority = (a & b) ^ (a & c) ^ (b & c)
      let second = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) &+ majority
      (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
    }
    for (index, value) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= value }
  }

  private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
    (word >> count) | (word << (32 - count))
  }

  private static let constants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
  ]
}
