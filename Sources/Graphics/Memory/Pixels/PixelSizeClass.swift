/// The sizes that pixel memory is handed out in: sixteen to each doubling, so that at most a sixteenth is wasted.
///
/// All are multiples of 64 bytes. A tile of 64x64 pixels, 16 KiB, has a size of its own.
struct PixelSizeClass: Hashable {
  /// Smaller blocks come from the heap.
  static let smallest = 2 << 10
  /// Larger blocks have pages of their own.
  static let largest = 128 << 10
  /// The number of size classes.
  static let count = 16 * 6 + 1

  /// The position among the size classes, from 0.
  let index: Int
  /// Bytes of a block.
  let byteCount: Int

  /// The least size class that holds `byteCount` bytes; `nil` if none of them is meant for so many.
  init?(for byteCount: Int) {
    guard (Self.smallest...Self.largest).contains(byteCount) else { return nil }
    let doubling = Int.bitWidth - 1 - byteCount.leadingZeroBitCount
    let step = 1 << (doubling - 4)
    self.byteCount = (byteCount + step - 1) / step * step
    index = (doubling - 11) * 16 + self.byteCount / step - 16
  }
}
