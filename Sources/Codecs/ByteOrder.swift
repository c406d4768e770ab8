/// Reads numbers at offsets from the first byte of the slice. Reading beyond the end traps: check `count` first.
extension ArraySlice<UInt8> {
  func bigEndianUInt16(at offset: Int) -> UInt16 {
    UInt16(self[startIndex + offset]) << 8 | UInt16(self[startIndex + offset + 1])
  }

  func bigEndianUInt32(at offset: Int) -> UInt32 {
    UInt32(bigEndianUInt16(at: offset)) << 16 | UInt32(bigEndianUInt16(at: offset + 2))
  }

  /// Reads a big-endian 32-bit number as a count or an offset. Clamped to `Int.max` on a 32-bit machine.
  func bigEndianCount(at offset: Int) -> Int { Int(clamping: bigEndianUInt32(at: offset)) }

  func littleEndianUInt16(at offset: Int) -> UInt16 { bigEndianUInt16(at: offset).byteSwapped }

  func littleEndianUInt32(at offset: Int) -> UInt32 { bigEndianUInt32(at: offset).byteSwapped }
}
