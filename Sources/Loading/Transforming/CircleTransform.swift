public import VitrineGraphics

/// The largest circle in the middle of the picture, its rim smoothed; transparent around it.
public struct CircleTransform: ImageTransform {
  /// `circle`.
  public let identifier = "circle"

  /// The transform; there is nothing to choose.
  public init() {}

  /// A square image as wide as the shorter side. O(pixels of all frames).
  public func apply(to image: Image) -> Image {
    let side = min(image.pixelWidth, image.pixelHeight)
    let mask = RoundedMask(width: side, height: side, radius: Double(side) / 2)
    let source = min(image.sourceWidth, image.sourceHeight)
    return image.mapFrames(sourceWidth: source, sourceHeight: source, mask.cut)
  }
}

extension ImageTransform where Self == CircleTransform {
  /// The largest circle in the middle of the picture: `request.transforms = [.circle()]`.
  public static func circle() -> CircleTransform { CircleTransform() }
}
