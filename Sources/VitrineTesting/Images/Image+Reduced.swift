package import VitrineGraphics

extension Image {
  /// Returns a black image that was decoded from a source of another size, all in pixels.
  package static func solid(width: Int, height: Int, sourceWidth: Int, sourceHeight: Int) -> Image {
    Image(
      Bitmap(width: width, height: height, color: .black), sourceWidth: sourceWidth,
      sourceHeight: sourceHeight)
  }
}
