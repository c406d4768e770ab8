import VitrineConcurrency
import VitrineGraphics

/// The decoder of an animation, with the memory that it keeps between frames. Canvases that it saves are counted one by
/// one, in addition.
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
    saveCanvases()
  }

  /// Creates a decoder of an animation with more frames, which goes on from the last frame of `other`.
  ///
  /// - Parameters:
  ///   - other: A decoder that is not used any more. Its reservation is taken over if it is in the same ledger.
  ///   - memory: The memory in addition to that of `other`.
  init(
    _ animation: ImageAnimation, continuing other: FrameDecoder, memory: FrameMemory
  ) throws(AnimationError) {
    self.animation = animation
    self.memory = memory
    decoder = try animation.makeDecoder(goingOnFrom: other.decoder)
    if let begun = other.reservation, let reservation, begun.ledger === reservation.ledger {
      reservation.takeOver(begun)
    }
    saveCanvases()
  }

  private func saveCanvases() {
    (decoder as? any CanvasSaving)?.saveCanvases(countedIn: memory.reservation?.ledger)
  }

  /// Releases the saved canvases, and returns their number of bytes. May be called by any thread.
  func releaseSavedCanvases() -> Int { (decoder as? any CanvasSaving)?.releaseSavedCanvases() ?? 0 }

  /// The reservation of the decoder's memory; `nil` if the memory is not counted.
  var reservation: MemoryReservation? { memory.reservation }

  /// The number of bytes that the decoder keeps.
  var byteCount: Int { memory.reservation?.bytes ?? animation.decoderByteCount }

  /// Returns the number of bytes in `ledger` that a decoder of `animation` needs in addition to this one.
  func additionalBytes(for animation: ImageAnimation, in ledger: MemoryLedger?) -> Int {
    let reserved = reservation.flatMap { $0.ledger === ledger ? $0.bytes : nil } ?? 0
    return max(0, animation.decoderByteCount - reserved)
  }

  /// Returns the first frame that cannot be decoded, after `frame` has thrown `.damaged`: the frame itself, or one on which
  /// it depends.
  func firstDamaged(upTo frame: Int) -> Int {
    guard let damaged = (decoder as? any DamageLocating)?.damagedFrame else { return frame }
    return max(1, min(damaged, frame))
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

/// The memory of a frame or of a decoder: reserved in a ledger, or not counted.
struct FrameMemory: Sendable {
  let reservation: MemoryReservation?

  /// Returns memory of `bytes` of the bytes of this value, which keeps the rest.
  func split(_ bytes: Int) -> FrameMemory { FrameMemory(reservation: reservation?.split(bytes)) }
}
