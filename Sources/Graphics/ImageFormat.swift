/// The encoding of an image file.
public enum ImageFormat: String, Hashable, Sendable, CaseIterable {
  /// JPEG: baseline or progressive; gray, color or CMYK.
  case jpeg
  /// PNG: any color type and bit depth, interlaced or not; the first frame of an animation.
  case png
  /// WebP: lossy or lossless, with or without alpha; the first frame of an animation.
  case webp
  /// GIF: the first frame.
  case gif
  /// Pixels that were created in memory and not decoded.
  case raw

  /// The media type of files with this encoding, such as `image/png`; `image/*` for `.raw`, which has no files.
  public var contentType: String {
    switch self {
    case .jpeg: "image/jpeg"
    case .png: "image/png"
    case .webp: "image/webp"
    case .gif: "image/gif"
    case .raw: "image/*"
    }
  }
}
