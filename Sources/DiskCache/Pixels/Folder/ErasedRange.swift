import Glibc

/// Extends the range of a record that is erased to the blocks of the file system.
///
/// Only whole blocks become a hole. Without this, each boundary between two erased records would leave a block.
enum ErasedRange {
  /// Returns the range with the rest of its first and last block, where that rest is zeros already. Bytes beyond the
  /// end of the file are left out, because a process may be adding a record there.
  ///
  /// - Parameter size: The number of bytes of the file.
  static func whole(_ range: Range<Int>, in file: borrowing Descriptor, size: Int) -> Range<Int> {
    let block = FileStatus.blockBytes
    let start = range.lowerBound / block * block
    let end = (range.upperBound + block - 1) / block * block
    let isFree = (
      start: isZeros(start..<range.lowerBound, in: file),
      end: end <= size && isZeros(range.upperBound..<end, in: file)
    )
    return (isFree.start ? start : range.lowerBound)..<(isFree.end ? end : range.upperBound)
  }

  private static func isZeros(_ range: Range<Int>, in file: borrowing Descriptor) -> Bool {
    // A range that cannot be read is not extended.
    let bytes = try? ResponseReader.bytes(of: file, at: range.lowerBound, count: range.count)
    return bytes?.count == range.count && bytes?.allSatisfy { $0 == 0 } == true
  }
}
