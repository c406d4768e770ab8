/// How many frames were presented, and how long the work on each took.
///
/// Work is what the main thread does for a frame: animations, layout, drawing, presenting; waiting for the
/// screen takes no part.
public nonisolated struct FrameStatistics: Hashable, Sendable {
  /// Work beyond this makes a frame late: at 60 frames a second it misses its turn.
  public static let budget = 1.0 / 60
  private static let capacity = 4096

  /// Frames presented so far.
  public private(set) var presented = 0
  /// Frames whose work took longer than `budget`.
  public private(set) var late = 0
  /// Host time at which the first frame was on the screen, in seconds; nil before.
  public private(set) var firstFrame: Double?
  /// The longest work on a frame, in milliseconds.
  public private(set) var maxMilliseconds = 0.0
  /// The work on the last frame, in milliseconds.
  public private(set) var lastMilliseconds = 0.0
  /// Of the last frames only, so that a host can run for months.
  private var samples: [Float] = []

  /// No frames yet.
  public init() {}

  /// Work on a frame in milliseconds which half of the last 4096 frames did not exceed; 0 without frames.
  public var p50Milliseconds: Double { percentile(0.5) }
  /// The same for 99 of a hundred.
  public var p99Milliseconds: Double { percentile(0.99) }

  /// Work on a frame in milliseconds which a share of the last 4096 frames did not exceed. Sorts them.
  public func percentile(_ share: Double) -> Double {
    let sorted = samples.sorted()
    guard !sorted.isEmpty else { return 0 }
    let rank = Int((share * Double(sorted.count)).rounded(.up)) - 1
    return Double(sorted[min(sorted.count - 1, max(0, rank))])
  }

  mutating func record(work seconds: Double, at now: Double) {
    if firstFrame == nil { firstFrame = now }
    let milliseconds = seconds * 1000
    if samples.count < Self.capacity {
      samples.append(Float(milliseconds))
    } else {
      samples[presented % Self.capacity] = Float(milliseconds)
    }
    lastMilliseconds = milliseconds
    presented += 1
    if seconds > Self.budget { late += 1 }
    maxMilliseconds = max(maxMilliseconds, milliseconds)
  }
}
