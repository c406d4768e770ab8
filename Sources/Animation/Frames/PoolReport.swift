/// The state of a `FramePool`, for diagnostics.
package struct PoolReport: Hashable, Sendable {
  /// The number of animations that views show.
  package var animations = 0
  /// The number of decoded frames in memory, without the first frames, which belong to the images.
  package var frames = 0
  /// The number of bytes of these frames.
  package var bytes = 0
  /// The number of frames that all views have left out so far, because they were decoded too late or the window had no
  /// frame while they were to be shown.
  package var droppedFrames = 0

  package init(animations: Int = 0, frames: Int = 0, bytes: Int = 0, droppedFrames: Int = 0) {
    (self.animations, self.frames) = (animations, frames)
    (self.bytes, self.droppedFrames) = (bytes, droppedFrames)
  }
}
