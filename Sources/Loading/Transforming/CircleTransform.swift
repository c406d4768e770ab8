public import VitrineGraphics

/// A transform that cuts the largest circle from the middle of an image, with a smooth edge and transparent outside.
public struct CircleTransform: ImageTransform {
  /// The identifier `circle`.
  public let identifier = "circle"
  /// The identifier with the version of the implementation.
  public var storageIdentifier: String? { "circle 1" }
  /// True: each frame of an animation is transformed.
  public var appliesToAnimation: Bool { true }

  /// Creates the transform, which has no parameters.
  public init() {}

  /// Returns a square image as wide as the shorter side. O(pixels).
  public func apply(to image: Image) -> Image { cut(image, .never) }

  /// Returns the square image, and throws `.cancelled` soon after `cancellation` is requested.
  public func apply(to image: Image, cancellation: DecodeCancellation) throws(ImageError) -> Image {
    let result = cut(image, cancellation)
    try cancellation.check()
    return result
  }

  /// Returns the square image. Stops early if `cancellation` is requested.
  private func cut(_ image: Image, _ cancellation: DecodeCancellation) -> Image {
    let side = min(image.pixelWidth, image.pixelHeight)
    let mask = RoundedMask(width: side, height: side, radius: Double(side) / 2)
    let source = min(image.sourceWidth, image.sourceHeight)
    return image.mapPixels(sourceWidth: source, sourceHeight: source) { mask.cut($0, cancellation) }
  }
}

extension ImageTransform where Self == CircleTransform {
  /// Returns a transform that cuts the largest circle from the middle: `request.transforms = [.circle()]`.
  public static func circle() -> CircleTransform { CircleTransform() }
}
