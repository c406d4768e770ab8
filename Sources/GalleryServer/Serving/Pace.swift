/// Limits the average rate of sending, in portions of a fiftieth of a second. Times are in nanoseconds of one monotonic
/// clock.
struct Pace: Equatable {
  let bytesPerSecond: Double

  /// The smallest number of bytes worth a wake-up.
  let portion: Int

  private var start: UInt64?
  private var sent = 0

  init(bytesPerSecond: Int) {
    self.bytesPerSecond = Double(max(1, bytesPerSecond))
    portion = max(1, bytesPerSecond / 50)
  }

  /// Returns how many of `remaining` bytes may be sent at `now`, or the time at which to ask again. The first portion
  /// is granted at once.
  mutating func grant(_ remaining: Int, at now: UInt64) -> Grant {
    let began = start ?? now
    start = began
    let elapsed = Double(now &- began) / 1e9
    let allowed = min(elapsed * bytesPerSecond + Double(portion) - Double(sent), Double(remaining))
    let minimum = min(remaining, portion)
    if allowed >= Double(minimum) { return .bytes(Int(allowed)) }
    let due = Double(sent + minimum - portion) / bytesPerSecond * 1e9
    return .wait(until: began + UInt64(due.rounded(.up)) + 1)
  }

  /// Counts bytes that were sent.
  mutating func count(_ bytes: Int) { sent += bytes }

  enum Grant: Equatable {
    case bytes(Int)
    case wait(until: UInt64)
  }
}
