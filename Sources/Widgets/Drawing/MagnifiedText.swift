import VitrineGraphics

/// A line of text at another size than the one at which it was measured.
///
/// The font has a size of whole pixels, so that a text whose size changes with each frame needs few fonts. It is rounded
/// down, so that the text fits its box, in whose middle it lies.
nonisolated struct MagnifiedText: Hashable {
  let font: Font
  /// The top left corner of the line box.
  let origin: Point

  /// Fits a text into a box.
  ///
  /// - Parameters:
  ///   - font: The font in which the text was measured.
  ///   - box: The measured line box after the magnification.
  ///   - pixelScale: Pixels per point.
  init(font: Font, box: Rect, magnification: Double, pixelScale: Double) {
    let measured = max(1, (font.size * pixelScale).rounded())
    // The tolerance corrects rounding errors in products that are whole numbers.
    let drawn = max(1, (measured * magnification + 1e-6).rounded(.down))
    let free = 1 - drawn / (measured * magnification)
    self.font = Font(size: drawn / pixelScale, weight: font.weight)
    origin = Point(x: box.minX + box.width * free / 2, y: box.minY + box.height * free / 2)
  }
}
