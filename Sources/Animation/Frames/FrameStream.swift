import VitrineGraphics

/// The access of one view to the decoded frames of an animation. Ends when it is released.
package final class FrameStream: Sendable {
  private let number: UInt64
  private let animation: ImageAnimation
  /// The number of the track with the frames of the animation.
  let track: UInt64
  private let pool: FramePool

  init(_ number: UInt64, of animation: ImageAnimation, track: UInt64, in pool: FramePool) {
    (self.number, self.animation, self.track, self.pool) = (number, animation, track, pool)
  }

  deinit { pool.remove(number, of: animation, from: track) }

  /// Returns the current frame of a demand if it is decoded. Otherwise the pool decodes it, and then the frames that
  /// follow; meanwhile, the latest frame that came too late for this view is returned, if there is one.
  package func frame(for demand: FrameDemand) -> DecodedFrame? {
    pool.setDemand(demand, of: number, in: track)
  }

  /// Returns the current frame of a demand after decoding it, for a program that advances the time itself. Blocks the
  /// thread for at most `seconds`.
  package func frame(for demand: FrameDemand, waitingFor seconds: Double) -> DecodedFrame? {
    pool.setUrgent(true, track)
    defer { pool.setUrgent(false, track) }
    if let found = frame(for: demand), found.number == demand.current { return found }
    return pool.waitForFrame(demand.current, of: track, seconds: seconds)
      .map { DecodedFrame(number: demand.current, image: $0) }
  }

  /// The first frame that cannot be decoded, so that waiting for it, and for later ones, is in vain; `nil` if there is none.
  package var firstDamaged: Int? { pool.firstDamaged(of: track) }

  /// The bytes of the decoded frames of the animation, without the first frame, which belongs to the image.
  package var decodedBytes: Int { pool.decodedBytes(of: track) }

  /// Ends the demand: no further frame is decoded for the view. Decoded frames stay while there is memory.
  package func suspend() { _ = pool.setDemand(nil, of: number, in: track) }

  /// Releases the decoded frames and the decoder of the animation.
  package func releaseFrames() { pool.releaseFrames(of: track) }
}
