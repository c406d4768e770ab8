import VitrineConcurrency

/// Decides how long disk writes wait, because they must not delay the images that slots are loading. Times are in
/// nanoseconds.
struct SlotHold {
  /// The maximum number of seconds for which a write waits for the images of slots.
  static let longestWait = 1.0

  /// The number of slots that are loading images.
  private var loadingSlots = 0

  /// True while a slot is loading an image.
  var isActive: Bool { loadingSlots > 0 }

  mutating func slotBegan() { loadingSlots += 1 }

  mutating func slotsEnded(_ count: Int) { loadingSlots -= count }

  /// Returns the time until which a write waits that was added at `added`; `nil` if the write need not wait.
  func end(ofWriteAddedAt added: Int64, at now: Int64) -> Int64? {
    let latest = added.advanced(bySeconds: Self.longestWait)
    return isActive && now < latest ? latest : nil
  }
}
