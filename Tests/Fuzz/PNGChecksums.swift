/// Corrects the checksums of a PNG's chunks. libpng stops at a wrong checksum, so that later code would not be fuzzed.
enum PNGChecksums {
  static func withValidChecksums(_ file: [UInt8]) -> [UInt8] {
    var file = file
    var offset = 8
    while offset + 12 <= file.count {
      let length = file[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) }
      guard length <= file.count - offset - 12 else { break }
      let end = offset + 8 + length
      let sum = crc32(file[(offset + 4)..<end])
      for byte in 0..<4 { file[end + byte] = UInt8(truncatingIfNeeded: sum >> (24 - 8 * UInt32(byte))) }
      offset = end + 4
    }
    return file
  }

  /// The CRC of the PNG specification, annex D.
  private static func crc32(_ content: ArraySlice<UInt8>) -> UInt32 {
    var crc = UInt32.max
    for byte in content {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 != 0 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return ~crc
  }
}
