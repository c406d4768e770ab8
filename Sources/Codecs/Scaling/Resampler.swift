package import VitrineGraphics

/// Scales bitmaps down.
package enum Resampler {
  /// Returns the bitmap scaled down: each pixel is the mean of the area that it covers, weighted by alpha. A side that
  /// would grow keeps its length; without a change of size, the same bitmap is returned. Takes a few nanoseconds per
  /// source pixel.
  package static func downscale(_ bitmap: Bitmap, toWidth width: Int, height: Int) -> Bitmap {
    let size = PixelSize(
      width: min(max(1, width), bitmap.width), height: min(max(1, height), bitmap.height))
    let source = PixelSize(width: bitmap.width, height: bitmap.height)
    guard size != source else { return bitmap }
    return Bitmap(
      width: size.width, height: size.height, format: bitmap.format, isOpaque: bitmap.isOpaque
    ) { pixels, _ in
      let canvas = Canvas(pixels: pixels, size: size, orientation: .up)
      var scaler = AreaScaler(Canvas.Source(source, hasAlpha: !bitmap.isOpaque), to: canvas)
      bitmap.withUnsafeBytes { bytes in
        for row in 0..<source.height {
          scaler.push(bytes.baseAddress.unsafelyUnwrapped + row * bitmap.bytesPerRow)
        }
      }
    }
  }
}
