import VitrineGraphics

/// The pixels of an image, drawn one to one: a part of a bitmap with the size that the image has on the screen.
struct ImagePixels {
  let bitmap: Bitmap
  /// The top left corner of the part, in the bitmap's pixels.
  var x = 0
  var y = 0
  /// The radius in pixels of rounded corners that the pixels' alpha already contains.
  var cornerRadius = 0
  /// True if all pixels are opaque, except in rounded corners.
  let isBodyOpaque: Bool
}
