public import VitrineGraphics
public import VitrineLoading

extension ImageCodecs: ImageEncoding {
  /// Encodes an image as JPEG, PNG, WebP or GIF on the calling thread. Several frames become an animated PNG, WebP or
  /// GIF with the durations and the loop count of the image.
  ///
  /// If `format` is `nil`, the image keeps the format that it was decoded from. An image that was made in memory
  /// becomes a GIF if it has several frames, otherwise a PNG if it has transparent pixels, otherwise a JPEG. A format
  /// that cannot hold the image is replaced: JPEG by PNG for transparent pixels, and by GIF for several frames.
  ///
  /// PNG is lossless. JPEG and WebP are written with quality 95 of 100; the alpha of WebP is lossless. GIF has up to
  /// 255 colors per frame, and each pixel is either opaque or transparent.
  ///
  /// Durations and loop counts that a file cannot state are clamped. A GIF has durations in hundredths of a second,
  /// from 0.02 s, because players show 0.01 s as 0.1 s, to 655 s, and is played at most 65,535 times. An animated PNG has
  /// durations in milliseconds, up to 65 s, and is played at most 2,147,483,647 times. An animated WebP has durations in
  /// milliseconds, up to 16,777 s, and is played at most 65,535 times. A loop count of 0 means for ever in all formats.
  ///
  /// Throws `.encoding` if a frame cannot be decoded or has another size than the first.
  ///
  /// - Parameters:
  ///   - image: The image to encode.
  ///   - format: The format of the file; `nil`, the default, for that of the image.
  public func encode(_ image: Image, as format: ImageFormat? = nil) throws(ImageError) -> [UInt8] {
    switch Self.format(of: image, requested: format) {
    case .png, .raw: try PNGEncoder.encode(image)
    case .jpeg: try JPEGEncoder.encode(image.bitmap)
    case .webp: try WebPEncoder.encode(image)
    case .gif: try GIFEncoder.encode(image)
    }
  }

  /// Encodes frames in memory as an animated GIF, PNG or WebP on the calling thread; a single frame becomes a still
  /// image. JPEG is replaced, and durations and loop counts are clamped, as in `encode(_:as:)`. Durations of 0.01 s or
  /// less count as 0.1 s.
  ///
  /// ```swift
  /// let frames = bitmaps.map { Image.Frame(bitmap: $0, duration: 0.05) }
  /// let file = try ImageCodecs().encode(frames: frames, as: .gif)
  /// ```
  ///
  /// Throws `.encoding` if there are no frames, or frames of different sizes.
  ///
  /// - Parameters:
  ///   - frames: The frames in order, all of the same size.
  ///   - loopCount: The number of times that the animation is played; 0, the default, for ever.
  ///   - format: The format of the file.
  public func encode(
    frames: [Image.Frame], loopCount: Int = 0, as format: ImageFormat
  ) throws(ImageError) -> [UInt8] {
    guard !frames.isEmpty else { throw .encoding(format, message: "no frames") }
    return try encode(Image(frames: frames, loopCount: loopCount), as: format)
  }

  /// Returns the format to write: `requested` if it can hold the image, otherwise its replacement.
  private static func format(of image: Image, requested: ImageFormat?) -> ImageFormat {
    let requested = requested ?? image.format
    if image.isAnimated { return requested == .png || requested == .webp ? requested : .gif }
    let isOpaque = image.bitmap.isOpaque || image.bitmap.hasOnlyOpaquePixels
    switch requested {
    case .png, .webp, .gif: return requested
    case .jpeg, .raw: return isOpaque ? .jpeg : .png
    }
  }
}
