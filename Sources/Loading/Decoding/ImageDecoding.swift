public import VitrineGraphics

/// A type that decodes image data into pixels, such as `ImageCodecs` in Codecs.
public protocol ImageDecoding: Sendable {
  /// The name of the decoder on disk; `nil`, the default, keeps decoded pixels off the disk.
  ///
  /// A pixel cache shows stored pixels instead of decoding, in later runs and later versions of the program too. The
  /// name must therefore change whenever the decoder makes other pixels of the same bytes.
  var storageIdentifier: String? { get }

  /// Decodes an image on the calling thread, which is a worker thread and never the main thread.
  ///
  /// Throws `.emptyBody`, `.notAnImage`, `.tooLarge` (before memory is allocated) or `.decoding`.
  func decode(_ data: [UInt8], options: DecodeOptions) throws(ImageError) -> Image
  /// Decodes as `decode(_:options:)` does, and throws `.cancelled` soon after `cancellation` is requested, which
  /// happens when the last caller that waits for the image has left.
  ///
  /// The default calls `decode(_:options:)`, which cannot be cancelled.
  func decode(
    _ data: [UInt8], options: DecodeOptions, cancellation: DecodeCancellation
  ) throws(ImageError) -> Image
  /// Returns the peak number of bytes of a decode: the decoded image, and all memory that the decoder allocates in
  /// addition.
  ///
  /// The bytes are reserved in a `MemoryLedger` before the decode. Decoding waits until there is room; if the bytes
  /// exceed the whole budget, the image is refused with `.tooLarge(.memory)`. Called before each `decode`, on any
  /// thread.
  func memoryNeeded(for data: [UInt8], options: DecodeOptions) -> Int
  /// Returns a decoder that makes previews of one image while the image loads, or `nil` if this type makes no previews.
  ///
  /// Called for each image and size, and again if the previous preview decoder was released to make room. May be called
  /// on any thread.
  func progressiveDecoder(
    _ style: ImageRequest.Progressive, options: DecodeOptions
  ) -> (any ProgressiveImageDecoding)?
}

extension ImageDecoding {
  /// Returns `nil`: decoded pixels are not stored on disk.
  public var storageIdentifier: String? { nil }
  /// Calls `decode(_:options:)` and ignores `cancellation`.
  public func decode(
    _ data: [UInt8], options: DecodeOptions, cancellation: DecodeCancellation
  ) throws(ImageError) -> Image {
    try decode(data, options: options)
  }
  /// Returns 0: the decode does not wait for memory.
  public func memoryNeeded(for data: [UInt8], options: DecodeOptions) -> Int { 0 }
  /// Returns `nil`: images are shown only when complete.
  public func progressiveDecoder(
    _ style: ImageRequest.Progressive, options: DecodeOptions
  ) -> (any ProgressiveImageDecoding)? { nil }
}

/// The options of a decode.
public struct DecodeOptions: Hashable, Sendable {
  /// The size at which the image is needed; `nil`, the default, decodes all pixels.
  public var target: DecodeTarget?
  /// The byte order of the decoded pixels; `.bgra` by default.
  public var pixelFormat: PixelFormat
  /// The limits on the size of the image.
  public var limits: DecodeLimits
  /// True to decode animations; `false` gives the first frame as a still image. True by default.
  public var decodesAnimation: Bool
  /// The options for a custom decoder, from `ImageRequest.decoderOptions`. `ImageCodecs` ignores these.
  public var custom: [String: String]
  /// The clock of the limit on the time of a frame.
  package var frameClock = FrameClock.processorTime

  /// Creates options; by default all pixels and animations are decoded, in the byte order BGRA, within the default
  /// limits.
  public init(
    target: DecodeTarget? = nil, pixelFormat: PixelFormat = .bgra, limits: DecodeLimits = .init(),
    decodesAnimation: Bool = true, custom: [String: String] = [:]
  ) {
    self.target = target
    self.pixelFormat = pixelFormat
    self.limits = limits
    self.decodesAnimation = decodesAnimation
    self.custom = custom
  }

  /// Returns the size in pixels to which a source of the given size is decoded: the size of the target, limited by
  /// `limits.scaleDownBytes`.
  public func outputSize(sourceWidth: Int, sourceHeight: Int) -> (width: Int, height: Int) {
    let size =
      target?.outputSize(sourceWidth: sourceWidth, sourceHeight: sourceHeight)
      ?? (width: max(1, sourceWidth), height: max(1, sourceHeight))
    return limits.scaledDown(width: size.width, height: size.height)
  }
}

/// Limits on decoding, checked against the header of the image and the size to which the image is decoded.
///
/// An image that exceeds `pixels` or `side` is refused. An animation that exceeds the other limits is played up to the
/// first frame that exceeds them, and then from the first frame again, like an animation with a damaged frame. An
/// animation of which only the first frame is left is a still image.
public struct DecodeLimits: Hashable, Sendable {
  /// The maximum number of pixels in memory at once while decoding; 64 megapixels by default. All scans of a JPEG
  /// together may unpack sixteen times as many samples.
  public var pixels: Int
  /// The maximum number of pixels on each side of the encoded image; 65,535 by default.
  public var side: Int
  /// The maximum number of bytes of decoded pixels, four for each pixel. A larger image is scaled down with its aspect
  /// ratio kept, and is not refused. `nil`, the default, does not scale images down.
  public var scaleDownBytes: Int?
  /// The maximum number of frames of an animation; 131,072 by default. The table of the frames is kept in memory while
  /// the animation exists, and takes about 80 bytes for each frame.
  public var frames: Int
  /// The maximum number of pixels of all frames of an animation, each of which counts as a whole canvas;
  /// 2,147,483,647 by default, which is 1,035 frames of 1920x1080. Frames are decoded one at a time, so that the limit
  /// bounds the time of a loop and not the memory.
  public var animationPixels: Int
  /// The maximum processor time in seconds for decoding one frame after the first. The default is 5, several times what a
  /// frame of 64 megapixels needs; `.infinity` sets no limit. A frame that takes longer is stopped and counts as damaged.
  public var secondsPerFrame: Double

  /// Creates limits with default values for those that are not given.
  ///
  /// - Parameters:
  ///   - pixels: The maximum number of pixels in memory at once while decoding.
  ///   - side: The maximum number of pixels on each side of the encoded image.
  ///   - scaleDownBytes: The maximum number of bytes of decoded pixels; larger images are scaled down.
  ///   - frames: The maximum number of frames of an animation. Values below 1 count as 1.
  ///   - animationPixels: The maximum number of pixels of all frames of an animation.
  ///   - secondsPerFrame: The maximum processor time in seconds of the decode of one frame after the first. NaN counts
  ///     as 0.
  public init(
    pixels: Int = 64 << 20, side: Int = 65_535, scaleDownBytes: Int? = nil, frames: Int = 1 << 17,
    animationPixels: Int = Int(Int32.max), secondsPerFrame: Double = 5
  ) {
    self.pixels = pixels
    self.side = side
    self.scaleDownBytes = scaleDownBytes
    self.frames = frames
    self.animationPixels = animationPixels
    self.secondsPerFrame = secondsPerFrame.isNaN ? 0 : secondsPerFrame
  }

  /// Returns the maximum number of frames of an animation with a canvas of the given size, at least 1.
  package func frameLimit(canvasWidth: Int, canvasHeight: Int) -> Int {
    let pixels = max(1, ByteCount.product(canvasWidth, canvasHeight))
    return max(1, min(frames, animationPixels / pixels))
  }

  /// Returns a size with an equal aspect ratio whose pixels take at most `scaleDownBytes`. Each side is at least one
  /// pixel.
  func scaledDown(width: Int, height: Int) -> (width: Int, height: Int) {
    guard let scaleDownBytes else { return (width, height) }
    let limit = max(1, scaleDownBytes / PixelFormat.bytesPerPixel)
    let area = Double(width) * Double(height)
    guard area > Double(limit) else { return (width, height) }
    let factor = (Double(limit) / area).squareRoot()
    let (scaledWidth, scaledHeight) = (Int(Double(width) * factor), Int(Double(height) * factor))
    // A side of less than one pixel is rounded up to one, so the other side is limited to `limit`.
    if scaledWidth < 1 { return (1, min(height, limit)) }
    if scaledHeight < 1 { return (min(width, limit), 1) }
    return (scaledWidth, scaledHeight)
  }

  /// Returns true if decoding the whole source may give more pixels than `image` has.
  func allowMoreThan(_ image: Image) -> Bool {
    let size = scaledDown(width: image.sourceWidth, height: image.sourceHeight)
    return image.pixelWidth < size.width || image.pixelHeight < size.height
  }
}
