public import VitrineGraphics

extension Image {
  /// Returns a still image of one colour.
  public static func solid(
    width: Int, height: Int, color: Color = .black, format: PixelFormat = .bgra, sourceWidth: Int? = nil,
    sourceHeight: Int? = nil
  ) -> Image {
    let bitmap = Bitmap(width: width, height: height, color: color, format: format)
    return Image(bitmap, sourceWidth: sourceWidth, sourceHeight: sourceHeight)
  }
}

extension Bitmap {
  /// Creates a bitmap of one colour.
  public init(width: Int, height: Int, color: Color, format: PixelFormat = .bgra) {
    self.init(width: width, height: height, format: format) { _, _ in color }
  }

  /// Creates a bitmap whose pixels have the colours that `color` returns.
  public init(
    width: Int, height: Int, format: PixelFormat = .bgra, color: (_ x: Int, _ y: Int) -> Color
  ) {
    var isOpaque = true
    let bitmap = Bitmap(width: width, height: height, format: format, isOpaque: false) { bytes, bytesPerRow in
      for y in 0..<height {
        for x in 0..<width {
          let color = color(x, y)
          isOpaque = isOpaque && color.alpha == 255
          let index = y * bytesPerRow + x * PixelFormat.bytesPerPixel
          bytes[index] = format == .rgba ? color.red : color.blue
          bytes[index + 1] = color.green
          bytes[index + 2] = format == .rgba ? color.blue : color.red
          bytes[index + 3] = color.alpha
        }
      }
    }
    self = bitmap.assumingOpaque(isOpaque)
  }
}
