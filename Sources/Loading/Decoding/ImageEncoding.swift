public import VitrineGraphics

/// Turns pixels into bytes, for images of the program's own that are to be kept on disk: `ImageCodecs` in Codecs.
///
/// A downloader encodes with its `decoder`, if that conforms to this protocol too (SDWebImage's `SDImageCoder`).
public protocol ImageEncoding: Sendable {
  /// Returns the encoded image, in a format that the downloader's decoder reads. Called on a thread that may block.
  ///
  /// Throws `.encoding`.
  ///
  /// - Parameter format: the format to write; `nil` leaves the choice to the encoder.
  func encode(_ image: Image, as format: ImageFormat?) throws(ImageError) -> [UInt8]
}
