package import Synchronization
package import VitrineGraphics

/// An animation of single-colored frames that counts what is decoded. Frame `n` has the red value `n`.
package final class CountingAnimation: Sendable {
  /// The work of the decoders.
  package struct Counts {
    /// The number of decoders that were made.
    package var decoders = 0
    /// The number of decoders that are in memory.
    package var livingDecoders = 0
    /// The number of decoders that went on from another.
    package var continuations = 0
    /// The frames that decoders were asked for, in order.
    package var frames: [Int] = []
    /// The frames that were given up because they were no longer needed.
    package var cancelled: [Int] = []
  }

  /// The work of the decoders so far.
  package let counts = Mutex(Counts())
  /// The width and the height of the frames in pixels.
  package let side: Int
  /// The number of frames of `image`.
  package let frameCount: Int
  private let loopCount: Int
  private let decoderByteCount: Int?
  private let decodingByteCount: Int
  private let damagedFrom: Int
  private let gate: Gate
  private let source: AnimationSource?
  private let givesUp: Bool
  private let savedCanvasBytes: Int

  /// - Parameters:
  ///   - side: The width and the height of the frames in pixels.
  ///   - loopCount: The number of times that the animation is played; 0 for ever.
  ///   - decoderByteCount: The bytes that a decoder keeps; by default ten for each frame.
  ///   - decodingByteCount: The bytes that a decoder allocates for each frame.
  ///   - damagedFrom: The number of the first frame that cannot be decoded.
  ///   - gate: Holds each frame before the decoder asks whether the frame is needed.
  ///   - file: The bytes from which the animation counts as decoded.
  ///   - givesUp: True for a decoder that throws `.cancelled` although the frame is needed.
  ///   - savedCanvasBytes: The number of bytes of canvases that the decoder saves with each frame.
  package init(
    frameCount: Int, side: Int = 8, loopCount: Int = 0, decoderByteCount: Int? = nil,
    decodingByteCount: Int = 0,
    damagedFrom: Int = .max, gate: Gate = Gate(isOpen: true), file: [UInt8]? = nil, givesUp: Bool = false,
    savedCanvasBytes: Int = 0
  ) {
    (self.decoderByteCount, self.decodingByteCount) = (decoderByteCount, decodingByteCount)
    (self.frameCount, self.side, self.damagedFrom) = (frameCount, side, damagedFrom)
    self.loopCount = loopCount
    source = file.map { AnimationSource(file: $0) }
    (self.gate, self.givesUp, self.savedCanvasBytes) = (gate, givesUp, savedCanvasBytes)
  }

  /// Returns the pixels of a frame.
  package func bitmap(_ frame: Int) -> Bitmap {
    Bitmap(width: side, height: side, format: .rgba, isOpaque: true) { bytes, _ in
      for offset in stride(from: 0, to: bytes.count, by: 4) {
        bytes.storeBytes(of: 0xFF00_0000 | UInt32(frame & 0xFF), toByteOffset: offset, as: UInt32.self)
      }
    }
  }

  /// An image with all frames.
  package var image: Image { image(frameCount: frameCount, isComplete: true) }

  /// Returns an image with the first frames only. A decoder of more frames can go on from one of fewer frames.
  package func image(frameCount: Int, isComplete: Bool) -> Image {
    Image(
      bitmap(0),
      animation: ImageAnimation(
        durations: [Double](repeating: 0.1, count: frameCount), loopCount: loopCount,
        frameByteCount: side * side * 4, byteCount: 100,
        decoderByteCount: decoderByteCount ?? 10 * frameCount, decodingByteCount: decodingByteCount,
        isComplete: isComplete, source: isComplete ? source : nil
      ) { (beginning) throws(AnimationError) in
        self.counts.withLock { counts in
          if beginning is Decoder { counts.continuations += 1 } else { counts.decoders += 1 }
        }
        return Decoder(self)
      })
  }

  private final class Decoder: CanvasSaving, DamageLocating {
    private let animation: CountingAnimation
    private let canvases = Mutex<(ledger: MemoryLedger?, saved: MemoryReservation?)>((nil, nil))

    /// A frame depends on all frames before it.
    var damagedFrame: Int? { animation.damagedFrom < .max ? animation.damagedFrom : nil }

    init(_ animation: CountingAnimation) {
      self.animation = animation
      animation.counts.withLock { $0.livingDecoders += 1 }
    }

    deinit { animation.counts.withLock { $0.livingDecoders -= 1 } }

    func saveCanvases(countedIn ledger: MemoryLedger?) { canvases.withLock { $0.ledger = ledger } }

    func releaseSavedCanvases() -> Int { canvases.withLock { $0.saved.take()?.bytes ?? 0 } }

    func frame(_ index: Int, isCancelled: () -> Bool) throws(AnimationError) -> Bitmap {
      animation.counts.withLock { $0.frames.append(index) }
      animation.gate.pass()
      if animation.givesUp { throw .cancelled }
      if isCancelled() {
        animation.counts.withLock { $0.cancelled.append(index) }
        throw .cancelled
      }
      guard index < animation.damagedFrom else { throw .damaged("frame \(index)") }
      canvases.withLock { canvases in
        guard let ledger = canvases.ledger, animation.savedCanvasBytes > 0 else { return }
        canvases.saved = MemoryReservation(animation.savedCanvasBytes, in: ledger, as: .decoding)
      }
      return animation.bitmap(index)
    }
  }
}
