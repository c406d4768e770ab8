public import VitrineGraphics

/// A type that encodes the application's own images for storage on disk, such as `ImageCodecs` in Codecs.
///
/// A downloader encodes with its `decoder` if that also conforms to this protocol (SDWebImage's `SDImageCoder`).
public protocol ImageEncoding: Sendable {
  /// Returns the encoded image in a format that the downloader's decoder can read. Called on a thread that may block.
  ///
  /// Throws `.encoding`. If `format` is `nil`, the encoder chooses the format.
  func encode(_ image: Image, as format: ImageFormat?) throws(ImageError) -> [UInt8]
}
