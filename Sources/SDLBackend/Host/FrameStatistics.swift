/// The number of presented frames, and the time of the work on each.
///
/// The work on a frame is the work of the main thread: animations, layout, drawing, presenting. Waiting for the screen
/// or for images from disk does not count.
public struct FrameStatistics: Hashable, Sendable {
  /// The maximum work on a frame in seconds. Frames with more work are late: they miss a refresh at 60 frames per
  /// second.
  public static let budget = 1.0 / 60
  private static let capacity = 4096

  /// The number of frames presented so far.
  public private(set) var presented = 0
  /// The number of frames whose work exceeded `budget`.
  public private(set) var late = 0
  /// The host time at which the first frame was presented, in seconds; `nil` before.
  public private(set) var firstFrame: Double?
  /// The longest work on a frame, in milliseconds.
  public private(set) var maxMilliseconds = 0.0
  /// The work on the last frame, in milliseconds.
  package private(set) var lastMilliseconds = 0.0
  /// The work of the last 4096 frames in milliseconds. The limit lets a host run for months.
  private var samples: [Float] = []

  /// Creates statistics without frames.
  package init() {}

  /// The median work of the last 4096 frames in milliseconds; 0 without frames. O(n log n).
  public var p50Milliseconds: Double { percentile(0.5) }
  /// The 99th percentile of the work of the last 4096 frames in milliseconds; 0 without frames. O(n log n).
  public var p99Milliseconds: Double { percentile(0.99) }

  /// Returns a percentile of the work of the last 4096 frames in milliseconds; 0 without frames. O(n log n).
  ///
  /// - Parameter fraction: The fraction of frames whose work does not exceed the result, 0 to 1.
  package func percentile(_ fraction: Double) -> Double {
    let sorted = samples.sorted()
    guard !sorted.isEmpty else { return 0 }
    let rank = Int((fraction * Double(sorted.count)).rounded(.up)) - 1
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
