public import VitrineGraphics

/// Shows what has come of one picture while the rest is on its way; made by `ImageDecoding.progressiveDecoder`.
///
/// One decoder sees all parts of a picture, in order (SD-D28), so that it may go on where it stopped. Called by one
/// thread at a time, a worker's, not always the same and never the main one.
public protocol ProgressiveImageDecoding: AnyObject, Sendable {
  /// A picture of what has come, of the size that the whole one will have, and `isPartial`; nil while there is nothing
  /// to show, or no more than the last time.
  ///
  /// Whatever throws here ends the pictures in part, not the load: the whole of the bytes is decoded all the same.
  ///
  /// - Parameters:
  ///   - data: all that has come so far, from the first byte; what was there the last time is its beginning.
  ///   - expectedLength: how long it will be, as the server says; nil if it does not. Not to be trusted.
  func image(of data: [UInt8], expectedLength: Int?) throws(ImageError) -> Image?
}

extension ImageRequest {
  /// Whether a picture is shown while it comes, and how.
  public enum Progressive: String, Hashable, Sendable, CaseIterable {
    /// Only when it is whole.
    case none
    /// Rows or scans as they have come (SDWebImage's ProgressiveLoad, YYWebImage's Progressive).
    case scans
    /// Scans of pictures that are made to be seen in part, progressive JPEG and interlaced PNG, the less blurred the
    /// more of them has come; others only when they are whole (YYWebImage's ProgressiveBlur).
    case blurred
  }
}
