/// The choice between keeping the decoded frames of an animation and decoding them again in each loop.
public enum FrameStorage: Hashable, Sendable {
  /// The frames of a small animation are kept; those of a large one are decoded again in each loop.
  case automatic
  /// All frames are decoded while a view plays the animation or waits for a frame, and kept while there is memory for
  /// them. Only if all frames fit the limit of the pool; otherwise as for `streaming`.
  case preloaded
  /// Only the frame on the screen and those that follow it are kept.
  case streaming
}
