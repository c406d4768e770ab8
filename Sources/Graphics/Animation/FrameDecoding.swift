/// A decoder of the frames of one animation. Keeps what the next frame needs, such as the canvas that the next frame is
/// drawn on.
///
/// Called on worker threads, by one thread at a time.
public protocol FrameDecoding: AnyObject {
  /// Returns a whole frame, composed with the frames before it.
  ///
  /// Frames are cheapest in order. For another frame, the decoder goes on from the latest frame that does not depend on
  /// earlier ones.
  ///
  /// - Parameters:
  ///   - index: The number of the frame, from 0 to the frame count of the animation less 1.
  ///   - isCancelled: Returns true if the frame is no longer needed. Called often; `frame` then throws `.cancelled`. The
  ///     decoder may be asked for further frames after that.
  func frame(_ index: Int, isCancelled: () -> Bool) throws(AnimationError) -> Bitmap
}

/// An error of decoding the frames of an animation.
public enum AnimationError: Error, Hashable, Sendable {
  /// The frame is damaged, or refers to data that the file does not have.
  case damaged(String)
  /// The frame is no longer needed.
  case cancelled
}
