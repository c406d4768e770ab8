public import VitrineGraphics

/// A transform that makes another image from a decoded image, such as a round or a gray one.
///
/// Applied on a worker thread. The result is cached under an identity of its own, so a transform is applied once for
/// each image and size.
public protocol ImageTransform: Sendable {
  /// The name of the transform with all parameters, such as `rounded(12)`. Transforms with the same identifier must
  /// make the same image. The identifier is part of the image's identity if the caller gives no additional identifier.
  var identifier: String { get }

  /// The name of the transform on disk; `nil`, the default, keeps its results off the disk.
  ///
  /// A pixel cache shows a stored result instead of applying the transform, in later runs and later versions of the
  /// program too. The name must therefore contain all parameters, and change whenever the transform makes other images.
  var storageIdentifier: String? { get }

  /// True if the transform is applied to each frame of an animation, when the frame is decoded. False, the default, if
  /// an animated image becomes a still one, unless the transform returns an image with an animation itself.
  var appliesToAnimation: Bool { get }

  /// Returns the new image. A transform that keeps the geometry should keep `sourceWidth` and `sourceHeight`, so that
  /// the cache recognizes a smaller variant.
  func apply(to image: Image) throws(ImageError) -> Image
  /// Returns the new image as `apply(to:)` does, and throws `.cancelled` soon after `cancellation` is requested, which
  /// happens when the last caller that waits for the image has left.
  ///
  /// The default calls `apply(to:)`, which cannot be cancelled.
  func apply(to image: Image, cancellation: DecodeCancellation) throws(ImageError) -> Image
}

extension ImageTransform {
  /// Returns `nil`: results are not stored on disk.
  public var storageIdentifier: String? { nil }
  /// Returns false: the result of an animated image is still.
  public var appliesToAnimation: Bool { false }
  /// Calls `apply(to:)` and ignores `cancellation`.
  public func apply(to image: Image, cancellation: DecodeCancellation) throws(ImageError) -> Image {
    try apply(to: image)
  }
}
