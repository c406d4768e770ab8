import VitrineGraphics

extension Bitmap {
  /// Creates a BGRA bitmap from a function that returns the color at each pixel's center, given in pixels from the top
  /// left. For small artwork that is cached.
  init(drawingWidth width: Int, height: Int, color: (_ x: Double, _ y: Double) -> Color) {
    self.init(width: width, height: height, format: .bgra, isOpaque: false) { bytes, bytesPerRow in
      for y in 0..<height {
        for x in 0..<width {
          let color = color(Double(x) + 0.5, Double(y) + 0.5)
          let pixel = y * bytesPerRow + x * PixelFormat.bytesPerPixel
          bytes[pixel] = color.blue
          bytes[pixel + 1] = color.green
          bytes[pixel + 2] = color.red
          bytes[pixel + 3] = color.alpha
        }
      }
    }
  }
}
