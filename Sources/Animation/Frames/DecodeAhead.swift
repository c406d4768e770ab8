/// The number of frames that are decoded before they are to be shown. Makes decisions only.
///
/// After a shortage of memory it is 1, and grows with the frames that are decoded without another shortage. If a shortage
/// follows soon after the number has reached its maximum, the memory was not enough for it: the next growth takes twice
/// as many frames.
struct DecodeAhead {
  /// The number of frames while there is memory.
  static let longest = 3
  /// The number of frames decoded without a shortage after which one more is decoded ahead.
  static let framesToRecover = 64
  /// The largest such number, after several shortages: about five minutes of an animation of 25 frames a second.
  static let mostFramesToRecover = 8192
  /// A shortage follows soon if it comes within this number times the frames of the last growth.
  private static let soon = 8

  private(set) var count = longest
  private(set) var framesToRecover = Self.framesToRecover
  private var decodedFrames = 0
  private var hasRecovered = false

  mutating func noteShortage() {
    if hasRecovered {
      let isSoon = decodedFrames < Self.soon * framesToRecover
      framesToRecover =
        isSoon ? min(2 * framesToRecover, Self.mostFramesToRecover) : Self.framesToRecover
    }
    (count, decodedFrames, hasRecovered) = (1, 0, false)
  }

  /// Counts a decoded frame. Returns true if the number has reached its maximum with it.
  mutating func countFrame() -> Bool {
    decodedFrames += 1
    guard count < Self.longest, decodedFrames >= framesToRecover else { return false }
    decodedFrames = 0
    count += 1
    hasRecovered = count == Self.longest
    return hasRecovered
  }
}
