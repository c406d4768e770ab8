public import VitrineGraphics

/// Round corners, their rims smoothed; transparent outside.
///
/// The corners are those of the decoded picture. In a slot that is filled and cropped, those outside the slot
/// are not seen.
public struct RoundedCornersTransform: ImageTransform {
  /// How round; never more than half of the shorter side. Below 0, and not a number, count as 0.
  public enum Radius: Hashable, Sendable {
    /// Pixels of the picture as it is decoded.
    case pixels(Double)
    /// Part of the shorter side: 0.5 makes its ends half circles.
    case fraction(Double)
  }

  /// How round the corners are.
  public let radius: Radius

  /// Corners of the given radius.
  public init(radius: Radius) { self.radius = radius }

  /// `rounded(…)` with the radius and its unit.
  public var identifier: String {
    switch radius {
    case .pixels(let pixels): "rounded(\(pixels) pixels)"
    case .fraction(let fraction): "rounded(\(fraction))"
    }
  }

  /// The image itself where there is nothing to round.
  public func apply(to image: Image) -> Image {
    let pixels =
      switch radius {
      case .pixels(let pixels): pixels
      case .fraction(let fraction): fraction * Double(min(image.pixelWidth, image.pixelHeight))
      }
    guard pixels > 0 else { return image }
    let mask = RoundedMask(width: image.pixelWidth, height: image.pixelHeight, radius: pixels)
    return image.mapFrames(
      sourceWidth: image.sourceWidth, sourceHeight: image.sourceHeight, mask.cut)
  }
}

extension ImageTransform where Self == RoundedCornersTransform {
  /// Round corners: `request.transforms = [.rounded(radius: .fraction(0.1))]`.
  public static func rounded(radius: RoundedCornersTransform.Radius) -> RoundedCornersTransform {
    RoundedCornersTransform(radius: radius)
  }
}
