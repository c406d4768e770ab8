import VitrineConcurrency
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

  /// Returns a frame. Throws `.cancelled` only if the flag is set: a decoder that gives up without being told to stop
  /// would be asked for the frame for ever.
  func frame(_ index: Int, stoppedBy flag: CancellationFlag) throws(AnimationError) -> Bitmap {
    do throws(AnimationError) {
      return try decoder.frame(index) { flag.isCancelled }
    } catch {
      throw error == .cancelled && !flag.isCancelled ? .damaged("frame \(index) was given up") : error
    }
  }
}
