import VitrineGraphics

extension PixelRect {
  /// Converts a rectangle from upright to panel coordinates. `size` is the upright size in pixels.
  func turned(by rotation: Rotation, in size: (width: Int, height: Int)) -> PixelRect {
    switch rotation {
    case .none: self
    case .quarter:
      PixelRect(left: size.height - bottom, top: left, right: size.height - top, bottom: right)
    case .half:
      PixelRect(
        left: size.width - right, top: size.height - bottom, right: size.width - left,
        bottom: size.height - top)
    case .threeQuarters:
      PixelRect(left: top, top: size.width - right, right: bottom, bottom: size.width - left)
    }
  }
}
