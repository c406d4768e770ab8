import VitrineGraphics

/// What a picture looks like on the screen, apart from opacity and tint: textures with equal keys are the same.
nonisolated struct PictureKey: Hashable {
  let image: ObjectIdentifier
  let frame: Int
  /// The part of the bitmap, in its pixels.
  let source: Rect
  /// In pixels of the screen.
  let width: Int
  let height: Int
  let corners: CornerShape
  /// Whether it has become white, its alpha kept.
  let isWhite: Bool
}

/// A line of text in one face and size; the colour comes in when it is drawn.
nonisolated struct TextKey: Hashable {
  let text: String
  let font: FontLibrary.Face
}

/// What is laid over the screen in a colour.
nonisolated enum MaskKey: Hashable {
  case text(TextKey)
  /// The corners of a rounded rectangle put together.
  case corners(CornerShape)
  /// A blurred rectangle.
  case shadow(ShadowShape)
}
