public import VitrineGraphics

/// The largest circle in the middle of the picture, its rim smoothed; transparent around it.
public struct CircleTransform: ImageTransform {
  public let identifier = "circle"

  public init() {}

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
