import VitrineGraphics

/// The size in pixels for which slides are prepared.
nonisolated struct SlideSize: Hashable {
  /// The size of the view in pixels.
  let width, height: Int
  /// The number of times by which an image that fills the view is enlarged at most.
  let zoom: Double

  /// Returns `nil` for an empty size.
  ///
  /// - Parameters:
  ///   - size: The size of the view in points.
  ///   - scale: Pixels per point.
  init?(_ size: Size, scale: Double, zoom: Double) {
    guard !size.isEmpty, scale > 0 else { return nil }
    width = Self.pixels(size.width * scale)
    height = Self.pixels(size.height * scale)
    self.zoom = zoom
  }

  /// The size to which images are decoded.
  var target: DecodeTarget {
    DecodeTarget(
      width: Self.pixels(Double(width) * zoom), height: Self.pixels(Double(height) * zoom),
      mode: .fillIfSimilar)
  }

  /// Returns true if an image of this size fills the view, and false if it is shown whole over a backdrop.
  func fills(imageWidth: Int, imageHeight: Int) -> Bool {
    target.fills(sourceWidth: imageWidth, sourceHeight: imageHeight)
  }

  /// Returns true if a slide that was prepared for another size has to be prepared again: its backdrop is missing or
  /// has another size, its shape needs a backdrop now or no longer, or it is enlarged more than 1.5 times.
  func needsAnother(than slide: SlideImage) -> Bool {
    let source = (slide.sourceWidth, slide.sourceHeight)
    guard fills(imageWidth: source.0, imageHeight: source.1) else {
      return slide.placement != .overBackdrop || slide.image.pixelWidth != width
        || slide.image.pixelHeight != height
    }
    guard slide.placement == .filling else { return true }
    let (imageWidth, imageHeight) = (Double(slide.image.pixelWidth), Double(slide.image.pixelHeight))
    let enlargement = max(Double(width) / imageWidth, Double(height) / imageHeight)
    return enlargement > 1.5 && !slide.image.isFullSize
  }

  /// Rounds a length up to whole pixels, at most the largest side of an image.
  private static func pixels(_ length: Double) -> Int { max(1, Int(min(length, 65_535).rounded(.up))) }
}
