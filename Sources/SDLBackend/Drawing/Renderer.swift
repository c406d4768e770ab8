import VitrineGraphics
import VitrineWidgets

/// Draws a window. A frame consists of `begin`, `play` for each dirty rectangle, and `present`.
///
/// Rectangles and draw lists have upright coordinates. A renderer that was created with a `Rotation` rotates the image
/// on the way to the screen.
@MainActor
protocol Renderer: AnyObject {
  /// The name of the renderer in SDL, such as `software`.
  var name: String { get }
  /// The byte order in which images need no conversion.
  var pixelFormat: PixelFormat { get }
  /// The memory of the textures in bytes.
  var textureBytes: Int { get }
  /// Evicts the least recently used textures until `bytes` are free, except textures of the last frame and, if
  /// `keepsShown` is true, textures of images that slots show.
  func releaseTextures(bytes: Int, keepsShown: Bool)
  /// The masks of rounded corners.
  var corners: CornerMasks { get set }
  var fonts: FontLibrary { get }
  /// Begins a frame. Returns the upright bounds of the window in pixels, or `nil` while the window has no surface, as
  /// when it is being closed.
  func begin() -> PixelRect?
  /// Fills the part of a rectangle that lies in `clip`. `clip` must lie inside the bounds that `begin` returned.
  func fill(_ rect: PixelRect, color: Color, clip: PixelRect)
  /// Draws a color over the corners of a rectangle through a mask.
  func fillCorners(of rect: PixelRect, color: Color, corners: CornerMask, clip: PixelRect)
  /// Draws the shadow of a rectangle, inside and outside the rectangle.
  func draw(_ shadow: ShadowShape, of rect: PixelRect, color: Color, clip: PixelRect)
  /// Makes the texture of an image between two frames, if drawing it needs one.
  func prepare(_ image: PlacedImage)
  /// Draws an image. Returns false if the image should be drawn again in the next frame.
  func draw(_ image: PlacedImage, clip: PixelRect) -> Bool
  /// Draws a line of text. `x` and `y` are the top left corner of the line box in pixels.
  func draw(_ text: TextKey, x: Int, y: Int, color: Color, clip: PixelRect)
  /// Calls `first` and `second`, which each draw over the existing pixels, and mixes the results:
  /// first x (1 - `fraction`) + second x `fraction`.
  ///
  /// - Parameters:
  ///   - area: The area to mix, inside the bounds that `begin` returned. The closures must not draw outside it.
  ///   - fraction: The weight of the second result, 0 to 1.
  /// - Returns: True if both closures returned true.
  func mix(in area: PixelRect, fraction: Double, _ first: () -> Bool, and second: () -> Bool) -> Bool
  /// Calls `content`, which draws over the existing pixels, and mixes the result with these pixels:
  /// existing x (1 - `opacity`) + result x `opacity`.
  ///
  /// - Parameters:
  ///   - area: The area to mix, inside the bounds that `begin` returned. The closure must not draw outside it.
  ///   - opacity: The weight of the result, 0 to 1.
  func drawGroup(in area: PixelRect, opacity: Double, _ content: () -> Void)
  /// Presents the rectangles that were drawn.
  func present(_ rects: [PixelRect])
  /// Returns the image on the panel, with the panel's rotation; `nil` if there is none.
  func screenshot() -> Bitmap?
  /// Discards all textures, after the graphics processor has lost their contents.
  func reset()
  /// Releases all resources. Must be called before the window is closed; nothing can be drawn afterwards. Further calls
  /// do nothing.
  func close()
  /// Like `close`, without calls to the display server, whose connection is lost.
  func abandon()
}

/// An image command and its rectangle in whole pixels.
struct PlacedImage {
  /// The command; its source lies inside the bitmap.
  let command: DrawList.ImageCommand
  let rect: PixelRect
  let corners: CornerMask
  /// The opacity and the tint.
  let effect: PixelEffect

  /// The image for drawing without a texture.
  var coarse: CoarseImage {
    CoarseImage(
      bitmap: command.image.bitmap, source: command.source, rect: rect,
      corners: corners)
  }

  /// The image for drawing while it moves; `nil` if it does not.
  var moving: MovingImage? {
    guard command.isMoving else { return nil }
    return MovingImage(bitmap: command.image.bitmap, source: command.source, rect: rect, corners: corners)
  }
}
