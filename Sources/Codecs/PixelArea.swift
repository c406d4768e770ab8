/// A rectangle of pixels of a bitmap or a canvas.
struct PixelArea: Hashable {
  var x, y, width, height: Int
}
