import VitrineConcurrency

/// Decides how long disk writes wait, because they must not delay the images that slots are loading. Times are in
/// nanoseconds.
struct SlotHold {
  /// The maximum number of seconds for which a write waits for the images of slots.
  static let longestWait = 1.0
  /// The number of seconds for which many bytes wait after the last slot has ended loading, so that the frame with its
  /// image is usually drawn first.
  static let quietTime = 0.05
  /// The largest number of bytes that are written without a quiet time, within about a frame.
  static let quickBytes = 1 << 20

  /// The number of slots that are loading images.
  private var loadingSlots = 0
  /// The end of the quiet time that followed the last image.
  private var quietEnd = Int64.min

  /// True while a slot is loading an image, and in the quiet time that follows.
  func isActive(at now: Int64) -> Bool { loadingSlots > 0 || now < quietEnd }

  mutating func slotBegan() { loadingSlots += 1 }

  /// Notes that slots have ended loading.
  ///
  /// - Parameter waitingBytes: The number of bytes that wait to be written or are being written.
  mutating func slotsEnded(_ count: Int, waitingBytes: Int, at now: Int64) {
    loadingSlots -= count
    // The end of a load may be noted before its beginning, by another thread.
    if loadingSlots <= 0, waitingBytes > Self.quickBytes {
      quietEnd = now.advanced(bySeconds: Self.quietTime)
    }
  }

  /// Returns the time until which a write waits that was added at `added`; `nil` if the write need not wait.
  func end(ofWriteAddedAt added: Int64, at now: Int64) -> Int64? {
    let latest = added.advanced(bySeconds: Self.longestWait)
    let end = loadingSlots > 0 ? latest : min(latest, quietEnd)
    return now < end ? end : nil
  }
}
