public import VitrineGraphics

/// Turns bytes into pixels: `ImageCodecs` in Codecs, a fake in tests.
public protocol ImageDecoding: Sendable {
  /// Decodes a picture, on the calling thread, which is a worker's and never the main one.
  ///
  /// Throws `.emptyBody`, `.notAnImage`, `.tooLarge` (before memory is taken) or `.decoding`.
  func decode(_ data: [UInt8], options: DecodeOptions) throws(ImageError) -> Image
  /// Bytes that decoding takes at once, its result included, as far as the header tells: decoding waits until a
  /// `MemoryLedger` has room for them. Called before each `decode`, on any thread, the main one included.
  func memoryNeeded(for data: [UInt8], options: DecodeOptions) -> Int
  /// Shows one picture while it comes; nil if this decoder cannot. Asked once a picture and size, on any thread.
  func progressiveDecoder(
    _ style: ImageRequest.Progressive, options: DecodeOptions
  ) -> (any ProgressiveImageDecoding)?
}

extension ImageDecoding {
  /// 0, which waits for nothing.
  public func memoryNeeded(for data: [UInt8], options: DecodeOptions) -> Int { 0 }
  /// Nil: whole pictures only.
  public func progressiveDecoder(
    _ style: ImageRequest.Progressive, options: DecodeOptions
  ) -> (any ProgressiveImageDecoding)? { nil }
}

/// What to make of the bytes.
public struct DecodeOptions: Hashable, Sendable {
  /// The size it is needed at; nil decodes all pixels.
  public var target: DecodeTarget?
  /// The byte order to write.
  public var pixelFormat: PixelFormat
  /// What decoding may cost.
  public var limits: DecodeLimits

  /// All pixels, in the renderer's usual order, under the usual limits, unless said otherwise.
  public init(
    target: DecodeTarget? = nil, pixelFormat: PixelFormat = .bgra, limits: DecodeLimits = .init()
  ) {
    self.target = target
    self.pixelFormat = pixelFormat
    self.limits = limits
  }
}

/// What a picture may cost, judged from its header by what decoding it to the size asked for would take.
public struct DecodeLimits: Hashable, Sendable {
  /// Pixels held in memory at once while decoding; 64 megapixels by default.
  public var pixels: Int
  /// Pixels on one side of the encoded picture.
  public var side: Int

  /// 64 megapixels and 65,535 pixels a side, unless said otherwise.
  public init(pixels: Int = 64 << 20, side: Int = 65_535) {
    self.pixels = pixels
    self.side = side
  }
}
