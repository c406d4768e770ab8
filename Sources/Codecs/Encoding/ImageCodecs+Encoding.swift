public import VitrineGraphics
public import VitrineLoading

extension ImageCodecs: ImageEncoding {
  /// Encodes an image as JPEG, PNG, WebP or GIF on the calling thread. Several frames become an animated PNG or GIF.
  ///
  /// If `format` is `nil`, the image keeps the format that it was decoded from. An image that was made in memory
  /// becomes a GIF if it has several frames, otherwise a PNG if it has transparent pixels, otherwise a JPEG. A format
  /// that cannot hold the image is replaced: JPEG by PNG for transparent pixels, JPEG and WebP by GIF for several
  /// frames.
  ///
  /// PNG is lossless. JPEG and WebP are written with quality 95 of 100. GIF has up to 255 colors per frame, and each
  /// pixel is either opaque or transparent.
  public func encode(_ image: Image, as format: ImageFormat? = nil) throws(ImageError) -> [UInt8] {
    switch Self.format(of: image, requested: format) {
    case .png, .raw: try PNGEncoder.encode(image)
    case .jpeg: try JPEGEncoder.encode(image.bitmap)
    case .webp: try WebPEncoder.encode(image.bitmap)
    case .gif: try GIFEncoder.encode(image)
    }
  }

  /// Returns the format to write: `requested` if it can hold the image, otherwise its replacement.
  private static func format(of image: Image, requested: ImageFormat?) -> ImageFormat {
    let requested = requested ?? image.format
    if image.isAnimated { return requested == .png ? .png : .gif }
    let isOpaque = image.bitmap.isOpaque || image.bitmap.hasOnlyOpaquePixels
    switch requested {
    case .png, .webp, .gif: return requested
    case .jpeg, .raw: return isOpaque ? .jpeg : .png
    }
  }
}
