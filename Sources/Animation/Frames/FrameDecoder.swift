import VitrineConcurrency
import VitrineGraphics

/// The decoder of an animation, with the memory that it keeps between frames.
///
/// `@unchecked Sendable` because the pool lets one thread at a time decode the frames of an animation, and its lock
/// orders the threads.
final class FrameDecoder: @unchecked Sendable {
  /// The animation for which the decoder was made.
  let animation: ImageAnimation
  private let decoder: any FrameDecoding
  /// Reserved until the decoder is released.
  private let memory: FrameMemory

  init(_ animation: ImageAnimation, memory: FrameMemory) throws(AnimationError) {
    self.animation = animation
    self.memory = memory
    decoder = try animation.makeDecoder()
  }

  /// Creates a decoder of an animation with more frames, which goes on from the last frame of `other`.
  ///
  /// - Parameter other: A decoder that is not used any more.
  init(_ animation: ImageAnimation, continuing other: FrameDecoder) throws(AnimationError) {
    self.animation = animation
    memory = other.memory
    decoder = try animation.makeDecoder(goingOnFrom: other.decoder)
  }

  /// The reservation of the decoder's memory; `nil` if the memory is not counted.
  var reservation: MemoryReservation? { memory.reservation }

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
