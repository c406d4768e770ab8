public import VitrineGraphics
public import VitrineLoading

/// Decodes JPEG, PNG, WebP and GIF for the pipeline, safe to feed with whatever a server sends.
///
/// JPEG, PNG and WebP are decoded by libjpeg-turbo, libpng and libwebp, straight to the size asked for; GIF by
/// a decoder in Swift. Of an animation it decodes the first frame.
///
/// ```swift
/// let options = DecodeOptions(target: DecodeTarget(width: 128, height: 128), pixelFormat: .rgba)
/// let image = try ImageCodecs().decode(bytes, options: options)
/// ```
///
/// The format is told by the first bytes alone. Orientation by Exif is applied. Colours of a profile (ICC, up to 4 MB)
/// are converted to sRGB, which takes some nanoseconds a pixel of the result; all others, and those of a broken profile,
/// are taken as sRGB. PNG's gamma is not read. `decode` refuses truncated pictures; what has come of one that is on its
/// way `progressiveDecoder(_:options:)` shows. Has no state, so one may serve any number of threads.
public struct ImageCodecs: ImageDecoding {
  /// Free: there is nothing to set up.
  public init() {}

  /// Decodes on the calling thread. Memory beyond the result is a few rows, where the format allows it:
  /// progressive JPEG, interlaced PNG, lossless or transparent WebP and GIF are held whole for a while.
  ///
  /// Throws `.emptyBody`, `.notAnImage` for bytes of any other kind, `.tooLarge(.side)` and
  /// `.tooLarge(.pixels)` from the header alone, `.tooLarge(.samples)` if the scans of a JPEG unpack more than sixteen
  /// samples for each pixel that the limits allow, `.decoding` for damage.
  public func decode(_ data: [UInt8], options: DecodeOptions) throws(ImageError) -> Image {
    try decode(data, options: options, cancellation: .never)
  }

  /// Decodes on the calling thread as `decode(_:options:)` does. Checks `cancellation` between strips of 16 rows,
  /// between rows of blocks in each scan of a JPEG, between passes of a PNG, and after every 16 KiB or sixty-fourth of
  /// a WebP.
  public func decode(
    _ data: [UInt8], options: DecodeOptions, cancellation: DecodeCancellation
  ) throws(ImageError) -> Image {
    guard !data.isEmpty else { throw .emptyBody }
    switch ImageSignature.format(of: data) {
    case .jpeg: return try JPEGDecoder.decode(data, options: options, cancellation: cancellation)
    case .png: return try PNGDecoder.decode(data, options: options, cancellation: cancellation)
    case .webp: return try WebPDecoder.decode(data, options: options, cancellation: cancellation)
    case .gif: return try GIFDecoder.decode(data, options: options, cancellation: cancellation)
    case .raw, nil: throw .notAnImage(signature: Array(data.prefix(16)))
    }
  }
}
