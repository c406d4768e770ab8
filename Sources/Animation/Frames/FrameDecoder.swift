import VitrineGraphics

/// The decoder of an animation, with the memory that it keeps between frames.
///
/// `@unchecked Sendable` because the pool lets one thread at a time decode the frames of an animation, and its lock
/// orders the threads.
final class FrameDecoder: @unchecked Sendable {
  private let decoder: any FrameDecoding
  /// Reserved until the decoder is released.
  private let memory: FrameMemory

  init(_ decoder: any FrameDecoding, _ memory: FrameMemory) {
    self.decoder = decoder
    self.memory = memory
  }

  func frame(_ index: Int) throws(AnimationError) -> Bitmap { try decoder.frame(index) { false } }
}
