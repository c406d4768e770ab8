import VitrineGraphics

/// Pixels that are drawn one to one: a part of a bitmap, in the size that it has on the screen.
nonisolated struct PicturePixels {
  let bitmap: Bitmap
  /// Where the part begins in the bitmap.
  var x = 0
  var y = 0
  /// Rounded corners that are part of the pixels' alpha, in pixels.
  var cornerRadius = 0
  /// Whether everything but the rounded corners is opaque.
  let isBodyOpaque: Bool
}
