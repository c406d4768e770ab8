public import VitrineGraphics

/// A transform that rounds the corners of an image, with smooth edges and transparent outside.
///
/// The corners are those of the decoded image. In a slot that is filled and cropped, corners outside the slot are not
/// visible.
public struct RoundedCornersTransform: ImageTransform {
  /// The radius of the corners, at most half of the shorter side. Negative values and NaN count as 0.
  public enum Radius: Hashable, Sendable {
    /// The radius in pixels of the decoded image.
    case pixels(Double)
    /// The radius as a fraction of the shorter side; 0.5 makes the shorter sides half circles.
    case fraction(Double)
  }

  /// The radius of the corners.
  public let radius: Radius

  /// Creates a transform that rounds the corners by the given radius.
  public init(radius: Radius) { self.radius = radius }

  /// The identifier `rounded(…)` with the radius and the unit.
  public var identifier: String {
    switch radius {
    case .pixels(let pixels): "rounded(\(pixels) pixels)"
    case .fraction(let fraction): "rounded(\(fraction))"
    }
  }

  /// The identifier with the version of the implementation.
  public var storageIdentifier: String? { identifier + " 1" }
  /// True: each frame of an animation is transformed.
  public var appliesToAnimation: Bool { true }

  /// Returns the image with round corners, or `image` itself if the radius is 0. O(pixels).
  public func apply(to image: Image) -> Image { rounded(image, .never) }

  /// Returns the image with round corners, and throws `.cancelled` soon after `cancellation` is requested.
  public func apply(to image: Image, cancellation: DecodeCancellation) throws(ImageError) -> Image {
    let result = rounded(image, cancellation)
    try cancellation.check()
    return result
  }

  /// Returns the image with round corners. Stops early if `cancellation` is requested.
  private func rounded(_ image: Image, _ cancellation: DecodeCancellation) -> Image {
    let pixels =
      switch radius {
      case .pixels(let pixels): pixels
      case .fraction(let fraction): fraction * Double(min(image.pixelWidth, image.pixelHeight))
      }
    guard pixels > 0 else { return image }
    let mask = RoundedMask(width: image.pixelWidth, height: image.pixelHeight, radius: pixels)
    return image.mapPixels(sourceWidth: image.sourceWidth, sourceHeight: image.sourceHeight) {
      mask.cut($0, cancellation)
    }
  }
}

extension ImageTransform where Self == RoundedCornersTransform {
  /// Returns a transform that rounds the corners: `request.transforms = [.rounded(radius: .fraction(0.1))]`.
  public static func rounded(radius: RoundedCornersTransform.Radius) -> RoundedCornersTransform {
    RoundedCornersTransform(radius: radius)
  }
}
