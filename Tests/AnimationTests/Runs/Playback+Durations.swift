import VitrineAnimation
import VitrineGraphics

extension Playback {
  /// Creates the playing of an animation with durations of any size.
  init(durations: [Double], loopCount: Int, isComplete: Bool = true, mode: PlaybackMode = .forward) {
    self.init(times: FrameTimes(durations), loopCount: loopCount, isComplete: isComplete, mode: mode)
  }

  /// Returns the playing after more frames have arrived.
  func continued(
    durations: [Double], loopCount: Int, isComplete: Bool = true, at now: Double
  ) -> Playback {
    continued(times: FrameTimes(durations), loopCount: loopCount, isComplete: isComplete, at: now)
  }
}
