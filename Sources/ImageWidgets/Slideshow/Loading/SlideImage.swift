import VitrineGraphics

/// An image that is ready to be shown as a slide. Caches spare the image for as long as this object exists.
final class SlideImage {
  nonisolated enum Placement: Hashable {
    /// The image fills the view, and is cropped.
    case filling
    /// The image is shown whole, until it has its backdrop.
    case whole
    /// The image was drawn over a backdrop, and has the size of the view.
    case overBackdrop
  }

  /// The image as it is drawn.
  nonisolated let image: Image
  nonisolated let placement: Placement
  /// The size of the encoded image in pixels.
  nonisolated let sourceWidth, sourceHeight: Int
  /// The title and the time in the encoded image.
  nonisolated let metadata: ImageMetadata?
  private let showing: Image.Showing

  /// Creates a slide that fills the view.
  convenience init(_ image: Image) { self.init(image, of: image, .filling) }

  /// Creates a slide that shows an image whole, without a backdrop.
  convenience init(whole image: Image) { self.init(image, of: image, .whole) }

  /// Creates a slide of an image that was drawn over a backdrop.
  convenience init(_ composition: Image, of image: Image) { self.init(composition, of: image, .overBackdrop) }

  private init(_ drawn: Image, of image: Image, _ placement: Placement) {
    self.image = drawn
    self.placement = placement
    (sourceWidth, sourceHeight) = (image.sourceWidth, image.sourceHeight)
    metadata = image.metadata
    showing = Image.Showing(drawn)
  }
}
