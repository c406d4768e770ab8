import VitrineGraphics

/// The appearance of an image on the screen, except opacity and tint. Images with equal keys share a texture.
struct ImageTextureKey: Hashable {
  let image: ObjectIdentifier
  /// The part of the bitmap that is shown, in the bitmap's pixels.
  let source: Rect
  /// The width on the screen in pixels.
  let width: Int
  let height: Int
  let corners: CornerShape
  /// True if all colors are replaced by white and the alpha is kept.
  let isWhite: Bool
}

/// A line of text in a font face. The color is applied when the text is drawn.
struct TextKey: Hashable {
  let text: String
  let font: FontLibrary.Face
}

/// A mask through which a color is drawn.
enum MaskKey: Hashable {
  case text(TextKey)
  /// The four corners of a rounded rectangle, joined into one mask.
  case corners(CornerShape)
  /// The blurred shadow of a rectangle.
  case shadow(ShadowShape)
}
