/// The block sizes of pixel memory: sixteen for each power of two, so that at most a sixteenth of a block is unused.
///
/// All sizes are multiples of 64 bytes. A tile of 64x64 pixels (16 KiB) has a size class of its own.
struct PixelSizeClass: Hashable {
  /// The smallest size in bytes. Smaller blocks come from the heap.
  static let smallest = 2 << 10
  /// The largest size in bytes. Larger blocks have pages of their own.
  static let largest = 128 << 10
  /// The number of size classes.
  static let count = 16 * 6 + 1

  /// The index among the size classes, from 0.
  let index: Int
  /// The size of a block in bytes.
  let byteCount: Int

  /// Returns the smallest size class that holds `byteCount` bytes; `nil` if `byteCount` is below the smallest or above
  /// the largest size.
  init?(for byteCount: Int) {
    guard (Self.smallest...Self.largest).contains(byteCount) else { return nil }
    let doubling = Int.bitWidth - 1 - byteCount.leadingZeroBitCount
    let step = 1 << (doubling - 4)
    self.byteCount = (byteCount + step - 1) / step * step
    index = (doubling - 11) * 16 + self.byteCount / step - 16
  }
}
