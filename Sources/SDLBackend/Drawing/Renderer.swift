import VitrineGraphics
import VitrineWidgets

/// Draws a window. One frame is `begin`, `play` for each rectangle, `present`.
///
/// Rectangles and draw lists are those of the upright picture; a renderer that is made with a `Rotation` turns it on
/// the way to the screen.
protocol Renderer: AnyObject {
  /// As SDL names it: `software`.
  var name: String { get }
  /// The order of bytes in which pictures need no conversion.
  var pixelFormat: PixelFormat { get }
  /// Bytes that textures take.
  var textureBytes: Int { get }
  /// Drops textures of a sum of `bytes`, those used longest ago first, but none of the last frame; if it
  /// `keepsShown`, none of images that slots show either.
  func releaseTextures(bytes: Int, keepsShown: Bool)
  /// The masks of rounded corners.
  var corners: CornerMasks { get set }
  var fonts: FontLibrary { get }
  /// What there is to draw on, upright; nil while the window has nothing, as when it is being closed.
  func begin() -> PixelRect?
  /// Fills the part of a rectangle that lies in `clip`, which lies in what `begin` returned.
  func fill(_ rect: PixelRect, color: Color, clip: PixelRect)
  /// Lays a colour over the corners of a rectangle, as far as a mask covers them.
  func fillCorners(of rect: PixelRect, color: Color, corners: CornerMask, clip: PixelRect)
  /// Lays a colour over a rectangle and what is around it, as far as its shadow covers that.
  func draw(_ shadow: ShadowShape, of rect: PixelRect, color: Color, clip: PixelRect)
  /// Returns false if the picture should be drawn again with the next frame.
  func draw(_ picture: PlacedPicture, clip: PixelRect) -> Bool
  /// Draws a line of text whose line box begins at a pixel.
  func draw(_ text: TextKey, x: Int, y: Int, color: Color, clip: PixelRect)
  /// Draws twice onto what is there, and mixes both: the first x (1 - share) + the second x share.
  ///
  /// - Parameters:
  ///   - area: what is mixed; it lies inside what there is to draw on, and neither draws outside it.
  ///   - share: 0…1.
  /// - Returns: whether both have returned true.
  func mix(in area: PixelRect, share: Double, _ first: () -> Bool, and second: () -> Bool) -> Bool
  /// Brings the rectangles that were played to the screen.
  func present(_ rects: [PixelRect])
  /// What is on the screen, turned as it is there; nil while there is nothing.
  func screenshot() -> Bitmap?
  /// Lets go of everything that a graphics processor kept, and has lost.
  func reset()
  /// Nothing can be drawn afterwards; before the window is closed. A second call does nothing.
  func close()
  /// The same where the display server is lost, without asking it for anything.
  func abandon()
}

/// A picture of a draw list and where it goes, in whole pixels.
struct PlacedPicture {
  /// Its source lies inside the bitmap.
  let picture: DrawList.Picture
  let rect: PixelRect
  let corners: CornerMask
  /// Opacity and tint.
  let effect: PixelEffect

  /// The same without a texture of the right size.
  var coarse: CoarsePicture {
    CoarsePicture(
      bitmap: picture.image.frames[picture.frame].bitmap, source: picture.source, rect: rect,
      corners: corners)
  }
}
