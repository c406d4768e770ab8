package import VitrineGraphics

/// The playing of one animation in one view: which frame is to be shown at which time. Makes decisions only.
///
/// The frame follows from the time alone, so that a late or a missed call changes nothing for later ones. Times are in
/// seconds of a clock that does not go back. Times that are not finite are ignored.
///
/// While frames of the animation are still to arrive, the frames that have arrived are played once, up to the last one.
/// `continued` then goes on with more frames.
package struct Playback {
  /// The result of `advance(to:)`.
  package struct Progress: Hashable {
    /// The frame to show.
    package var frame: Int
    /// The number of steps that have passed since the last call, at most those of one loop.
    package var steps: Int
    /// The number of loops that have ended since the last call.
    package var endedLoops: Int
    /// True if the last loop has ended with this call.
    package var hasEnded: Bool
  }

  /// The smallest and the largest rate.
  package static let rates = 0.01...100.0

  private let times: FrameTimes
  /// False if more frames are still to arrive.
  package let isComplete: Bool
  package private(set) var mode: PlaybackMode
  private var order: PlaybackOrder
  /// The number of loops after which playing ends; 0 for ever. Applies when the animation is complete.
  package var loopCount: Int
  package private(set) var rate = 1.0
  package private(set) var isPlaying = false
  /// True if all frames that have arrived were shown for their durations, and more are to arrive. The last step stays.
  package private(set) var isStalled = false
  /// The step that `advance(to:)` has returned last, counted through all loops.
  private var lastStep = 0
  /// True after the animation was played, or a frame was chosen.
  private var hasBegun = false
  /// The seconds of the animation that have passed at `time`, counted through all loops at the rate 1.
  private var position = 0.0
  /// The time of `position`, from which it goes on while the animation plays.
  private var time = 0.0

  /// - Parameters:
  ///   - times: The times of the frames.
  ///   - isComplete: False if more frames are still to arrive.
  package init(
    times: FrameTimes, loopCount: Int, isComplete: Bool = true, mode: PlaybackMode = .forward
  ) {
    self.times = times
    self.loopCount = max(0, loopCount)
    self.isComplete = isComplete
    self.mode = mode
    order = Self.order(mode, times: times, frameCount: times.frameCount, isComplete: isComplete)
  }

  private static func order(
    _ mode: PlaybackMode, times: FrameTimes, frameCount: Int, isComplete: Bool
  ) -> PlaybackOrder {
    PlaybackOrder(isComplete ? mode : mode.untilFirstTurn, times: times, frameCount: frameCount)
  }

  /// The step within the loop.
  private var stepOfLoop: Int { lastStep % order.count }
  /// The frame to show.
  package var frame: Int { order.frame(ofStep: stepOfLoop) }
  /// The number of loops that have ended.
  package var endedLoops: Int { lastStep / order.count + (hasEnded ? 1 : 0) }
  /// True if the last loop has ended. The last step stays.
  package private(set) var hasEnded = false

  // MARK: Changes

  /// Begins to play, or goes on. An animation that has ended starts again.
  package mutating func play(at now: Double) {
    guard !isPlaying else { return }
    hasBegun = true
    if hasEnded { start(atStep: 0) }
    setTime(now)
    isPlaying = true
  }

  /// Stops at the current frame.
  package mutating func pause(at now: Double) {
    hold(at: now)
    isPlaying = false
  }

  /// Stops at the start of the current frame, for a view that is no longer drawn. The frame is shown for its whole
  /// duration later.
  package mutating func suspend(at now: Double) {
    pause(at: now)
    if !hasEnded { start(atStep: lastStep) }
  }

  /// Goes to the first frame of the first loop, as if the animation had not begun.
  package mutating func rewind(at now: Double) {
    hasBegun = false
    start(atStep: 0)
    setTime(now)
  }

  /// Goes to the start of a frame in the current loop, and in the current half of a loop in a bounce mode if the half has
  /// the frame. Numbers without a frame are clamped.
  package mutating func seek(toFrame frame: Int, at now: Double) {
    hold(at: now)
    let step = order.step(
      showing: min(max(0, frame), order.frameCount - 1), inSecondHalf: order.isInSecondHalf(stepOfLoop))
    start(atStep: lastStep / order.count * order.count + step)
    setTime(now)
    hasBegun = true
  }

  /// Changes the speed. Rates outside of `rates` are clamped; numbers that are not finite are ignored.
  package mutating func setRate(_ rate: Double, at now: Double) {
    guard let rate = Self.clamped(rate) else { return }
    hold(at: now)
    self.rate = rate
  }

  /// Returns a rate within `rates`; `nil` for a number that is not finite.
  package static func clamped(_ rate: Double) -> Double? {
    rate.isFinite ? min(max(rates.lowerBound, rate), rates.upperBound) : nil
  }

  /// Changes the order of the frames. Starts the first loop again at the current frame.
  package mutating func setMode(_ mode: PlaybackMode, at now: Double) {
    guard mode != self.mode else { return }
    hold(at: now)
    let frame = frame
    self.mode = mode
    order = Self.order(mode, times: times, frameCount: order.frameCount, isComplete: isComplete)
    // An animation that has not begun begins with the first frame of the new order.
    start(atStep: hasBegun ? order.step(showing: frame) : 0)
  }

  /// Leaves out a frame and all later ones, which cannot be decoded. The first frame stays. Returns false if they were left
  /// out already.
  ///
  /// If such a frame is to be shown now, the frames before it go on: with the next loop, or, in a bounce mode, with the way
  /// back. In a reverse mode, the last frame that can be decoded is next.
  package mutating func leaveOut(from frame: Int, at now: Double) -> Bool {
    let count = max(1, frame)
    guard count < order.frameCount else { return false }
    hold(at: now)
    let (loop, step) = lastStep.quotientAndRemainder(dividingBy: order.count)
    let (shown, offset, ended, stalled) = (self.frame, timeOfLastStep, hasEnded, isStalled)
    let (isAscending, isInSecondHalf) = (order.isAscending(step), order.isInSecondHalf(step))
    order = Self.order(mode, times: times, frameCount: count, isComplete: isComplete)
    let first = loop * order.count
    if ended || stalled {
      start(atStep: first + order.count - 1)
      position += order.end(ofStep: order.count - 1) - order.start(ofStep: order.count - 1)
      (hasEnded, isStalled) = (ended, stalled)
    } else if shown < count {
      start(atStep: first + order.step(showing: shown, inSecondHalf: isInSecondHalf))
      position += offset
    } else if isAscending {
      let last = order.lastStep(inSecondHalf: isInSecondHalf)
      start(atStep: first + last)
      position += order.end(ofStep: last) - order.start(ofStep: last)
    } else {
      start(atStep: first + order.step(showing: count - 1))
    }
    return true
  }

  /// Plays all frames again, also those that `leaveOut` has left out. The frame, the time for which the frame has been
  /// shown, the loop and the end stay.
  package mutating func restoreAllFrames(at now: Double) {
    guard order.frameCount < times.frameCount else { return }
    hold(at: now)
    let (loop, step) = lastStep.quotientAndRemainder(dividingBy: order.count)
    let (shown, offset, ended) = (frame, timeOfLastStep, hasEnded)
    let isInSecondHalf = order.isInSecondHalf(step)
    order = Self.order(mode, times: times, frameCount: times.frameCount, isComplete: isComplete)
    let first = min(loop, largestLoopCount) * order.count
    start(atStep: first + order.step(showing: shown, inSecondHalf: isInSecondHalf))
    position += offset
    hasEnded = ended
  }

  /// Returns the playing of the same animation after more frames have arrived. The frame, and the time for which the frame
  /// has been shown, stay.
  package func continued(
    times: FrameTimes, loopCount: Int, isComplete: Bool = true, at now: Double
  ) -> Playback {
    var held = self
    held.hold(at: now)
    var new = Playback(times: times, loopCount: loopCount, isComplete: isComplete, mode: mode)
    (new.rate, new.isPlaying, new.time) = (rate, isPlaying || hasEnded, held.time)
    new.hasBegun = hasBegun
    new.start(atStep: new.order.step(showing: min(frame, new.order.frameCount - 1)))
    new.position += held.timeOfLastStep
    return new
  }

  private mutating func start(atStep step: Int) {
    lastStep = step
    position = positionOfLastStep
    (hasEnded, isStalled) = (false, false)
  }

  private var positionOfLastStep: Double {
    let (loop, step) = lastStep.quotientAndRemainder(dividingBy: order.count)
    return Double(loop) * order.duration + order.start(ofStep: step)
  }

  /// The seconds from the beginning of the last step to the position. Not negative: after a very large number of loops,
  /// the position is rounded by more than a step.
  private var timeOfLastStep: Double { max(0, position - positionOfLastStep) }

  /// Makes `now` the time of the position.
  private mutating func hold(at now: Double) {
    position = position(at: now)
    if now > time { setTime(now) }
  }

  private mutating func setTime(_ now: Double) { if now.isFinite { time = now } }

  private func position(at now: Double) -> Double {
    guard isPlaying, now.isFinite, now > time, !isStalled else { return position }
    let position = position + (now - time) * rate
    return isComplete ? position : min(position, order.duration)
  }

  // MARK: Time

  /// Returns the frame to show at a time, and what has passed since the last call.
  @discardableResult
  package mutating func advance(to now: Double) -> Progress {
    guard isPlaying else { return Progress(frame: frame, steps: 0, endedLoops: 0, hasEnded: false) }
    let count = order.count
    let (before, loopsBefore) = (lastStep, lastStep / count)
    let position = position(at: now)
    let passed = ((position + PlaybackOrder.tolerance) / order.duration).rounded(.down)
    let loops = Int(max(0, min(passed, Double(largestLoopCount))))
    if !isComplete, loops >= 1 {
      lastStep = count - 1
      (self.position, isStalled) = (order.duration, true)
      setTime(now)
    } else if loopCount > 0, loops >= loopCount {
      lastStep = loopCount * count - 1
      hasEnded = true
      isPlaying = false
    } else {
      lastStep = max(before, loops * count + order.step(at: position - Double(loops) * order.duration))
    }
    return Progress(
      // If the loop count was set to fewer loops than have ended, the last frame is shown, without a step.
      frame: frame, steps: max(0, min(lastStep - before, count)),
      endedLoops: max(0, endedLoops - loopsBefore), hasEnded: hasEnded)
  }

  /// The number of loops after which the last frame stays, so that steps can be counted.
  private var largestLoopCount: Int { Int.max / (4 * order.count) }

  /// The time at which another frame is to be shown, or at which the last loop ends if the first frame stays because the
  /// second cannot be decoded. `nil` if the animation is paused, has ended, waits for more frames to arrive, or shows its
  /// first frame for ever.
  package var nextChange: Double? {
    guard isPlaying, !isStalled else { return nil }
    let end: Double
    if order.frameCount == 1, times.frameCount > 1, isComplete {
      guard loopCount > 0 else { return nil }
      end = Double(loopCount) * order.duration
    } else {
      let (loop, step) = lastStep.quotientAndRemainder(dividingBy: order.count)
      end = Double(loop) * order.duration + order.end(ofStep: step)
    }
    return time + max(0, end - position) / rate
  }

  /// Returns the frames that follow, in order, without repetitions: at most `count`, fewer at the end of the last loop.
  package func upcomingFrames(_ count: Int) -> [Int] {
    var frames: [Int] = []
    let loops = isComplete ? loopCount : 1
    for offset in 1...max(1, min(count, order.count)) where count > 0 {
      let step = lastStep + offset
      if loops > 0, step / order.count >= loops { break }
      let frame = order.frame(ofStep: step % order.count)
      if frame != self.frame, !frames.contains(frame) { frames.append(frame) }
    }
    return frames
  }
}
