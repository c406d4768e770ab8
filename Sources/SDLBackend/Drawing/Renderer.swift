import VitrineGraphics
import VitrineWidgets

/// Draws a window. One frame is `begin`, `play` for each rectangle, `present`.
protocol Renderer: AnyObject {
  /// As SDL names it: `software`.
  var name: String { get }
  /// The order of bytes in which pictures need no conversion.
  var pixelFormat: PixelFormat { get }
  /// Bytes that textures take.
  var textureBytes: Int { get }
  /// What there is to draw on; nil while the window has nothing, as when it is being closed.
  func begin() -> PixelRect?
  /// Draws everything that lies inside `rect`. Returns parts, in pixels, that should be drawn again with the next
  /// frame because they are not at their best yet.
  func play(_ list: DrawList, in rect: PixelRect, scale: Double) -> [PixelRect]
  /// Brings the rectangles that were played to the screen.
  func present(_ rects: [PixelRect])
  /// What is on the screen; nil while there is nothing.
  func screenshot() -> Bitmap?
}
