/// Decides how long a frame waits for images that the disk is about to deliver.
///
/// An image that arrives before the frame is drawn appears without a placeholder, a spinner or a fade. The first frame
/// of a window may be late for that. Later frames wait only for as long as they would be on time.
struct FrameWait: Equatable {
  /// The default limit for the first frame in seconds.
  static let firstFrameLimit = 0.05
  /// The limit in seconds while a program advances the time, so that a frame does not depend on the speed of the disk.
  /// Long enough for a slow disk, and short enough for a program not to hang with a disk that hangs.
  static let manualLimit = 10.0
  /// The longest interval between frames, in seconds, of which a later frame waits for the rest.
  static let longestInterval = 0.05

  /// A frame that is about to be drawn.
  struct Frame: Equatable {
    /// True for the first frame of the window.
    var isFirst = false
    /// True if a slot on the screen has begun to load an image since the previous frame.
    var hasNewLoads = false
    /// True if a program advances the time.
    var isTimeManual = false
    /// The time in seconds since the frame was due; for the first frame, since it could have been drawn.
    var age = 0.0
    /// The interval between frames in seconds.
    var interval = 1.0 / 60
    /// The time in seconds that drawing the previous frame took.
    var drawingTime = 0.0
  }

  /// The limit for the first frame in seconds.
  let firstFrame: Double

  /// Creates a rule with a limit for the first frame in seconds. A limit that is not above 0 disables the wait of the
  /// first frame.
  init(firstFrame: Double = firstFrameLimit) {
    self.firstFrame = firstFrame > 0 ? min(firstFrame, Self.manualLimit) : 0
  }

  /// Returns the longest wait in seconds; 0 if the frame is to be drawn at once.
  func limit(for frame: Frame) -> Double {
    guard frame.hasNewLoads else { return 0 }
    if frame.isTimeManual { return max(0, Self.manualLimit - frame.age) }
    if frame.isFirst { return max(0, firstFrame - frame.age) }
    let interval = min(frame.interval, Self.longestInterval)
    // A frame with unusually much to draw, such as the first one, says little about the next.
    let drawingTime = min(frame.drawingTime, interval / 2)
    return max(0, interval - frame.age - drawingTime)
  }

  /// Returns the time in seconds for which the first frame is postponed, because the application still loads the
  /// contents of a view, such as a list of images; 0 for any other frame.
  func postponement(of frame: Frame, hasApplicationLoads: Bool) -> Double {
    guard frame.isFirst, !frame.isTimeManual, hasApplicationLoads else { return 0 }
    return max(0, firstFrame - frame.age)
  }
}
