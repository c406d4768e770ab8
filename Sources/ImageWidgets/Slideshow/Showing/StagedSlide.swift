import VitrineGraphics
import VitrineWidgets

/// A slide on the screen: its image and its movement.
struct StagedSlide {
  var image: SlideImage
  /// The number of the slide since the slideshow began, which chooses the path of its movement.
  let number: Int
  /// The seconds of the movement; `nil` for a slide that stands still.
  let movement: Double?
  var clock: SlideClock

  /// True if the slide moves while its clock runs.
  var isMovable: Bool { movement != nil && image.placement == .filling }

  /// True if the slide has not reached the end of its movement.
  func isMoving(at now: Double) -> Bool {
    movement.map { isMovable && clock.elapsed(at: now) < $0 } ?? false
  }

  /// Returns the part of a view in which the image lies, without its backdrop. An image that fills the view is cropped.
  func imageFrame(in bounds: Rect) -> Rect {
    guard image.placement != .filling else { return bounds }
    let size = Size(width: Double(image.sourceWidth), height: Double(image.sourceHeight))
    return ContentMode.fit.layout(
      pixelWidth: image.sourceWidth, pixelHeight: image.sourceHeight, size: size, in: bounds
    ).destination
  }

  /// Returns the command that draws the slide at a time.
  func command(in bounds: Rect, at now: Double) -> DrawList.ImageCommand {
    let (placement, image) = (image.placement, image.image)
    let pixels = Size(width: Double(image.pixelWidth), height: Double(image.pixelHeight))
    guard isMovable, let movement else {
      if placement == .whole {
        return DrawList.ImageCommand(
          image: image, source: Rect(origin: .zero, size: pixels), destination: imageFrame(in: bounds))
      }
      let layout = ContentMode.fill.layout(
        pixelWidth: image.pixelWidth, pixelHeight: image.pixelHeight, size: image.size, in: bounds)
      return DrawList.ImageCommand(image: image, source: layout.source, destination: layout.destination)
    }
    let path = KenBurns(image: pixels, view: bounds.size, number: number)
    let fraction = movement > 0 ? clock.elapsed(at: now) / movement : 1
    return DrawList.ImageCommand(
      image: image, source: path.part(at: fraction), destination: bounds, isMoving: true)
  }
}
