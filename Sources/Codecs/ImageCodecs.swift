public import VitrineGraphics
public import VitrineLoading

/// The image decoder of the pipeline for JPEG, PNG, WebP and GIF. Safe for untrusted bytes.
///
/// JPEG, PNG and WebP are decoded by libjpeg-turbo, libpng and libwebp, directly to the requested size; GIF is decoded
/// in Swift. The first frame of an animated GIF, PNG or WebP is decoded at once, and the image's `animation` decodes
/// the others.
///
/// ```swift
/// let options = DecodeOptions(target: DecodeTarget(width: 128, height: 128), pixelFormat: .rgba)
/// let image = try ImageCodecs().decode(bytes, options: options)
/// ```
///
/// The signature alone decides the format. The Exif orientation is applied. Colors are converted to sRGB if the image
/// has a valid color profile (ICC, up to 4 MiB), which takes some nanoseconds per pixel of the result; otherwise they
/// are assumed to be sRGB. The gamma of PNG is ignored. `decode` refuses truncated images;
/// `progressiveDecoder(_:options:)` decodes previews of an image that is still arriving. Has no state, so one value may
/// be used on any number of threads.
public struct ImageCodecs: ImageDecoding {
  /// The version of the pixels that the decoder makes.
  public var storageIdentifier: String? { "vitrine 4" }

  /// Creates a decoder. O(1).
  public init() {}

  /// Decodes on the calling thread. In addition to the result, only a few rows are kept in memory, except for
  /// progressive JPEG, interlaced PNG, lossless or transparent WebP and GIF, which are held whole while decoding.
  ///
  /// Throws `.emptyBody`, `.notAnImage` for any other format, `.tooLarge(.side)` and `.tooLarge(.pixels)` from the
  /// header alone, `.tooLarge(.samples)` if the scans of a JPEG unpack more than sixteen samples for each pixel that
  /// the limits allow, and `.decoding` for damaged data.
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
