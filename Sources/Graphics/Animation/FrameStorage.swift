/// The choice between keeping the decoded frames of an animation and decoding them again in each loop.
public enum FrameStorage: Hashable, Sendable {
  /// The frames of a small animation are kept; those of a large one are decoded again in each loop.
  case automatic
  /// All frames are decoded as soon as the animation is shown, and kept while there is memory for them.
  case preloaded
  /// Only the frame on the screen and those that follow it are kept.
  case streaming
}
