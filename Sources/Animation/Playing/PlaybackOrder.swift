import VitrineGraphics

/// The steps of one loop of an animation: the frame of each step, and the time at which the step ends.
///
/// In the bounce modes, the second half of a loop shows the frames between the first and the last in the opposite order.
struct PlaybackOrder {
  /// The tolerance in seconds for rounding errors in sums of durations.
  static let tolerance = 1e-6

  private let mode: PlaybackMode
  private let times: FrameTimes
  /// The number of frames that are shown, from the first on.
  let frameCount: Int

  /// - Parameter frameCount: The number of frames that are shown. Clamped to the range from 1 to all frames.
  init(_ mode: PlaybackMode, times: FrameTimes, frameCount: Int) {
    (self.mode, self.times) = (mode, times)
    self.frameCount = max(1, min(frameCount, times.frameCount))
  }

  private var startsWithFirstFrame: Bool { mode == .forward || mode == .bounce }

  /// The number of steps.
  var count: Int {
    switch mode {
    case .forward, .reverse: frameCount
    case .bounce, .reverseBounce: frameCount + max(0, frameCount - 2)
    }
  }

  /// Returns true if a step is in the second half of a loop in a bounce mode.
  func isInSecondHalf(_ step: Int) -> Bool { step >= frameCount }

  /// Returns true if the frame after a step has a higher number than that of the step, unless the order turns there.
  func isAscending(_ step: Int) -> Bool { isInSecondHalf(step) != startsWithFirstFrame }

  /// Returns the last step of a half of a loop.
  func lastStep(inSecondHalf: Bool) -> Int { inSecondHalf ? count - 1 : frameCount - 1 }

  /// Returns the frame of a step.
  func frame(ofStep step: Int) -> Int {
    // The frame at the turn is that of the last step of the first half.
    let distance = isInSecondHalf(step) ? 2 * (frameCount - 1) - step : step
    return startsWithFirstFrame ? distance : frameCount - 1 - distance
  }

  /// Returns the step that shows a frame: the step in the given half if there is one.
  func step(showing frame: Int, inSecondHalf: Bool = false) -> Int {
    let step = startsWithFirstFrame ? frame : frameCount - 1 - frame
    let other = 2 * (frameCount - 1) - step
    return inSecondHalf && frameCount..<count ~= other ? other : step
  }

  /// The seconds of one loop.
  var duration: Double { end(ofStep: count - 1) }

  /// Returns the seconds from the start of the loop to the start of a step.
  func start(ofStep step: Int) -> Double { step == 0 ? 0 : end(ofStep: step - 1) }

  /// Returns the seconds from the start of the loop to the end of a step.
  func end(ofStep step: Int) -> Double {
    let frame = frame(ofStep: step)
    let firstHalf = times.end(of: frameCount - 1)
    switch (isInSecondHalf(step), isAscending(step)) {
    case (false, true): return times.end(of: frame)
    case (false, false): return firstHalf - times.start(of: frame)
    case (true, true): return firstHalf + times.end(of: frame) - times.end(of: 0)
    case (true, false): return firstHalf + times.start(of: frameCount - 1) - times.start(of: frame)
    }
  }

  /// Returns the step at a time within the loop; the last step for later times. O(log n).
  func step(at time: Double) -> Int {
    var (low, high) = (0, count - 1)
    while low < high {
      let middle = (low + high) / 2
      if end(ofStep: middle) > time + Self.tolerance { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
