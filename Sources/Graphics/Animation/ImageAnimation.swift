/// The frames of an animated image, usually still encoded, and the way to decode them.
///
/// An animation keeps the encoded bytes, the durations of the frames and no decoded frame. Decoded frames are kept by a
/// pool that all views of the program share. An animation is compared by identity.
///
/// ```swift
/// if let animation = image.animation {
///   print("\(animation.frameCount) frames, \(animation.duration) s")
/// }
/// ```
public final class ImageAnimation: Sendable {
  /// The duration in seconds of a frame whose file states less than `shortestDuration`, as browsers show it.
  package static let defaultDuration = 0.1
  /// The shortest duration in seconds that is kept. Encoders write 0 or 0.01 for "as fast as possible".
  package static let shortestDuration = 0.011
  /// The largest number of bytes that is kept, 256 TiB on a machine of 64 bits. The caches and the ledger add the
  /// numbers of many images, and must not overflow.
  package static let largestByteCount = Int.max >> 15

  /// The seconds for which each frame is shown: at least one number, all positive.
  public let durations: [Double]
  /// The times of the frames, which follow from `durations`.
  package let times: FrameTimes
  /// The number of times that the animation is played; 0 for ever.
  public let loopCount: Int
  /// The number of bytes that the animation keeps in memory: the encoded image, or the frames if they were made in
  /// memory.
  public let byteCount: Int
  /// The number of bytes of a first frame that the animation keeps and that `byteCount` leaves out, because they are the
  /// pixels of the image; 0 for encoded animations.
  package let firstFrameByteCount: Int
  /// True if the animation keeps its decoded frames, which were made in memory, so that a decode allocates nothing.
  package var keepsFrames: Bool { firstFrameByteCount > 0 }
  /// The number of bytes of one decoded frame.
  public let frameByteCount: Int
  /// The number of bytes that a decoder keeps between two frames, without saved canvases; see `CanvasSaving`.
  package let decoderByteCount: Int
  /// The number of bytes that a decoder allocates for the decode of one frame, without the frame.
  package let decodingByteCount: Int
  /// False if more frames of the file are still to arrive, as in the preview of an animated image.
  public let isComplete: Bool
  /// The source of the frames; `nil` while the animation is incomplete, and for frames that are not decoded by the
  /// library's codecs.
  package let source: AnimationSource?
  /// The choice between keeping the decoded frames and decoding them again.
  public let storage: FrameStorage
  private let decoder: DecoderMaker

  /// A function that returns a decoder, given a decoder of the beginning of the animation if there is one.
  package typealias DecoderMaker =
    @Sendable ((any FrameDecoding)?) throws(AnimationError) -> any FrameDecoding

  /// Creates an animation.
  ///
  /// - Parameters:
  ///   - durations: The seconds for which each frame is shown. Durations of 0.01 s or less, and those that are not
  ///     finite, count as 0.1 s.
  ///   - loopCount: The number of times that the animation is played; 0, the default, for ever.
  ///   - frameByteCount: The number of bytes of one decoded frame. Numbers of bytes are limited to the range from 0 to
  ///     256 TiB.
  ///   - byteCount: The number of bytes that `makeDecoder` retains.
  ///   - decoderByteCount: The number of bytes that a decoder keeps between two frames.
  ///   - decodingByteCount: The number of bytes that a decoder allocates while it decodes a frame, and releases at the
  ///     end, in addition to the decoded frame; 0 by default. Reserved for the time of each decode.
  ///   - isComplete: False if more frames of the file are still to arrive.
  ///   - makeDecoder: Returns a decoder that has decoded no frame yet. Called on a worker thread, again if the previous
  ///     decoder was released to make room.
  /// - Precondition: `durations` is not empty.
  public convenience init(
    durations: [Double], loopCount: Int = 0, frameByteCount: Int, byteCount: Int, decoderByteCount: Int = 0,
    decodingByteCount: Int = 0, isComplete: Bool = true,
    makeDecoder: @escaping @Sendable () throws(AnimationError) -> any FrameDecoding
  ) {
    self.init(
      durations: durations, loopCount: loopCount, frameByteCount: frameByteCount, byteCount: byteCount,
      decoderByteCount: decoderByteCount, decodingByteCount: decodingByteCount, isComplete: isComplete
    ) { (_) throws(AnimationError) in try makeDecoder() }
  }

  /// Creates an animation whose decoders can go on from a decoder of the beginning of the animation.
  ///
  /// - Parameters:
  ///   - firstFrameByteCount: The number of bytes of the first frame that `makeDecoder` retains in addition, and that are
  ///     the pixels of the image.
  ///   - source: The source of the frames, by which the same animation at another size is recognized.
  ///   - makeDecoder: Returns a decoder. The argument is the decoder of an animation with the first frames of this one,
  ///     which is not used any more; `nil` if there is none.
  /// - Precondition: `durations` is not empty.
  package init(
    durations: [Double], loopCount: Int, frameByteCount: Int, byteCount: Int, decoderByteCount: Int,
    decodingByteCount: Int = 0, isComplete: Bool, firstFrameByteCount: Int = 0,
    source: AnimationSource? = nil, goingOn makeDecoder: @escaping DecoderMaker
  ) {
    precondition(!durations.isEmpty, "an animation has at least one frame")
    self.durations = durations.map {
      $0.isFinite && $0 >= Self.shortestDuration ? $0 : Self.defaultDuration
    }
    times = FrameTimes(self.durations)
    self.loopCount = max(0, loopCount)
    self.frameByteCount = Self.limited(frameByteCount)
    self.byteCount = Self.limited(byteCount)
    self.firstFrameByteCount = Self.limited(firstFrameByteCount)
    self.decoderByteCount = Self.limited(decoderByteCount)
    self.decodingByteCount = Self.limited(decodingByteCount)
    self.isComplete = isComplete
    self.source = source
    storage = .automatic
    decoder = makeDecoder
  }

  private static func limited(_ byteCount: Int) -> Int { max(0, min(byteCount, largestByteCount)) }

  private init(_ other: ImageAnimation, storage: FrameStorage) {
    (durations, times) = (other.durations, other.times)
    (loopCount, byteCount) = (other.loopCount, other.byteCount)
    firstFrameByteCount = other.firstFrameByteCount
    (frameByteCount, decoderByteCount) = (other.frameByteCount, other.decoderByteCount)
    decodingByteCount = other.decodingByteCount
    (isComplete, source, decoder) = (other.isComplete, other.source, other.decoder)
    self.storage = storage
  }

  /// Returns the animation with another choice for its decoded frames: a new animation, or this one if the choice is
  /// unchanged.
  package func stored(as storage: FrameStorage) -> ImageAnimation {
    storage == self.storage ? self : ImageAnimation(self, storage: storage)
  }

  /// Returns true if both are complete and show the same frames at the same times, perhaps at different sizes. O(bytes)
  /// for animations that were decoded from equal bytes.
  func isSame(as other: ImageAnimation) -> Bool {
    guard isComplete, other.isComplete else { return false }
    if self === other { return true }
    guard let source, let otherSource = other.source, durations == other.durations else { return false }
    return source.isSame(as: otherSource)
  }

  /// The number of frames, at least 1.
  public var frameCount: Int { durations.count }
  /// The seconds that one loop takes. O(frames).
  public var duration: Double { durations.reduce(0, +) }

  /// Returns a new decoder, on a worker thread. Throws if the bytes are damaged.
  public func makeDecoder() throws(AnimationError) -> any FrameDecoding { try decoder(nil) }

  /// Returns a decoder that need not draw again what `beginning` has drawn.
  ///
  /// - Parameter beginning: A decoder of an animation that this one continues. Must not be used any more.
  package func makeDecoder(
    goingOnFrom beginning: any FrameDecoding
  ) throws(AnimationError) -> any FrameDecoding { try decoder(beginning) }
}

extension ImageAnimation: Hashable {
  /// Compares instances by identity.
  public static func == (a: ImageAnimation, b: ImageAnimation) -> Bool { a === b }
  /// Hashes the identity of the instance.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
