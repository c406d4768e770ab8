public import VitrineGraphics
public import VitrineLoading

extension ImageCodecs: ImageEncoding {
  /// Encodes on the calling thread as JPEG, PNG, WebP or GIF; an image of several frames as animated PNG or GIF.
  ///
  /// Without a format the image keeps the format that it was decoded from. An image that was made in memory becomes a GIF
  /// if it has several frames, else a PNG if it has transparent pixels, else a JPEG. A format that cannot hold the image is
  /// replaced: JPEG by PNG for transparent pixels, JPEG and WebP by GIF for several frames.
  ///
  /// PNG is lossless. JPEG and WebP have the quality 95 of 100. GIF has up to 255 colors a frame, and each pixel is either
  /// opaque or transparent.
  public func encode(_ image: Image, as format: ImageFormat? = nil) throws(ImageError) -> [UInt8] {
    switch Self.format(of: image, wanted: format) {
    case .png, .raw: try PNGEncoder.encode(image)
    case .jpeg: try JPEGEncoder.encode(image.bitmap)
    case .webp: try WebPEncoder.encode(image.bitmap)
    case .gif: try GIFEncoder.encode(image)
    }
  }

  /// The format that can hold the image and comes closest to what is wanted.
  private static func format(of image: Image, wanted: ImageFormat?) -> ImageFormat {
    let wanted = wanted ?? image.format
    if image.isAnimated { return wanted == .png ? .png : .gif }
    let isOpaque = image.bitmap.isOpaque || image.bitmap.hasOnlyOpaquePixels
    switch wanted {
    case .png, .webp, .gif: return wanted
    case .jpeg, .raw: return isOpaque ? .jpeg : .png
    }
  }
}
