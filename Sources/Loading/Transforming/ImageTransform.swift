public import VitrineGraphics

/// Makes another picture of a decoded one: round, grey, …
///
/// Runs on a worker thread; the result is cached under its own identity, so it runs once a picture and size.
public protocol ImageTransform: Sendable {
  /// Names the transform with its parameters, as `rounded(12)`: two of the same identifier make the same
  /// picture. Part of the picture's identity when the caller gives no additional identifier.
  var identifier: String { get }

  /// The new picture. `sourceWidth` and `sourceHeight` should be kept when the geometry is, so that
  /// the cache knows that this is a smaller variant.
  func apply(to image: Image) throws(ImageError) -> Image
}
