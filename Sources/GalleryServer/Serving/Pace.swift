/// Spreads bytes over time so that on average no more than a rate leaves, in portions of a fiftieth of a
/// second. Times are nanoseconds of one monotonic clock.
struct Pace: Equatable {
  let bytesPerSecond: Double

  /// The bytes worth waking up for.
  let portion: Int

  private var start: UInt64?
  private var sent = 0

  init(bytesPerSecond: Int) {
    self.bytesPerSecond = Double(max(1, bytesPerSecond))
    portion = max(1, bytesPerSecond / 50)
  }

  /// How many of `remaining` bytes may leave at `now`, or when it is worth asking again. The first
  /// portion leaves at once.
  mutating func grant(_ remaining: Int, at now: UInt64) -> Grant {
    let began = start ?? now
    start = began
    let elapsed = Double(now &- began) / 1e9
    let allowed = min(elapsed * bytesPerSecond + Double(portion) - Double(sent), Double(remaining))
    let wanted = min(remaining, portion)
    if allowed >= Double(wanted) { return .bytes(Int(allowed)) }
    let due = Double(sent + wanted - portion) / bytesPerSecond * 1e9
    return .wait(until: began + UInt64(due.rounded(.up)) + 1)
  }

  /// Counts bytes that left.
  mutating func count(_ bytes: Int) {
    sent += bytes
  }

  enum Grant: Equatable {
    case bytes(Int)
    case wait(until: UInt64)
  }
}
