public import VitrineGraphics

extension Bitmap {
  /// Returns a copy of the part inside `rect`, which is in whole pixels and clipped to the bitmap, to restrict a
  /// comparison.
  ///
  /// - Precondition: `rect` intersects the bitmap.
  public func cropped(to rect: Rect) -> Bitmap {
    let part = rect.intersection(Rect(x: 0, y: 0, width: Double(width), height: Double(height)))
    let (left, top) = (Int(part.minX), Int(part.minY))
    let (columns, rows) = (Int(part.maxX) - left, Int(part.maxY) - top)
    return Bitmap(width: columns, height: rows, format: format, isOpaque: isOpaque) { pixels, bytesPerRow in
      withUnsafeBytes { source in
        for row in 0..<rows {
          let start = (top + row) * self.bytesPerRow + left * PixelFormat.bytesPerPixel
          pixels[(row * bytesPerRow)..<((row + 1) * bytesPerRow)]
            .copyBytes(from: source[start..<(start + bytesPerRow)])
        }
      }
    }
  }
}
