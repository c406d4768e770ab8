import VitrineGraphics

extension Orientation {
  /// Returns the layout of an image.
  ///
  /// - Parameter size: The size as stored.
  func layout(of size: PixelSize) -> RegionLayout {
    let shown = applied(to: size)
    return RegionLayout(
      sourceWidth: shown.width, sourceHeight: shown.height, isMirrored: isMirrored, isFlipped: isFlipped)
  }

  /// Returns a region of a scaled image as it is stored, before the orientation is applied.
  func stored(_ region: ImageRegion, of layout: RegionLayout) -> PixelArea {
    let shown = layout.size(reducedBy: region.reduction)
    return stored(
      PixelArea(x: region.x, y: region.y, width: region.width, height: region.height),
      of: PixelSize(width: shown.width, height: shown.height))
  }
}
