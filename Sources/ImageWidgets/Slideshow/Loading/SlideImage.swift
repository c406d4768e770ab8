import VitrineGraphics

/// An image that is ready to be shown as a slide. Caches spare the image for as long as this object exists.
final class SlideImage {
  /// The image as it is drawn.
  nonisolated let image: Image
  /// True if the image has the size of the view and shows the whole slide over a backdrop.
  nonisolated let hasBackdrop: Bool
  /// The size of the encoded image in pixels.
  nonisolated let sourceWidth, sourceHeight: Int
  /// The title and the time in the encoded image.
  nonisolated let metadata: ImageMetadata?
  private let showing: Image.Showing

  /// Creates a slide that fills the view.
  init(_ image: Image) {
    self.image = image
    hasBackdrop = false
    (sourceWidth, sourceHeight) = (image.sourceWidth, image.sourceHeight)
    metadata = image.metadata
    showing = Image.Showing(image)
  }

  /// Creates a slide of an image that was drawn over a backdrop.
  init(_ composition: Image, of image: Image) {
    self.image = composition
    hasBackdrop = true
    (sourceWidth, sourceHeight) = (image.sourceWidth, image.sourceHeight)
    metadata = image.metadata
    showing = Image.Showing(composition)
  }
}
