/// Numbers in a slice, counted from its first byte. Reading beyond its end traps: look at `count` before.
extension ArraySlice<UInt8> {
  func bigEndianUInt16(at offset: Int) -> UInt16 {
    UInt16(self[startIndex + offset]) << 8 | UInt16(self[startIndex + offset + 1])
  }

  func bigEndianUInt32(at offset: Int) -> UInt32 {
    UInt32(bigEndianUInt16(at: offset)) << 16 | UInt32(bigEndianUInt16(at: offset + 2))
  }

  /// The same as a count or an offset; on a machine of 32 bits what it cannot hold counts as the most that it can.
  func bigEndianCount(at offset: Int) -> Int { Int(clamping: bigEndianUInt32(at: offset)) }

  func littleEndianUInt16(at offset: Int) -> UInt16 { bigEndianUInt16(at: offset).byteSwapped }

  func littleEndianUInt32(at offset: Int) -> UInt32 { bigEndianUInt32(at: offset).byteSwapped }
}
