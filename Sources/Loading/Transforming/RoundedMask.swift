import VitrineGraphics

/// The coverage of each pixel by a rectangle with round corners, applied to bitmaps.
///
/// The coverage depends on the distance of the pixel's center to the arc: 1 from half a pixel inside, 0 from half a
/// pixel outside, and linear between. All four corners are equal, so one corner is computed, once for each image.
struct RoundedMask {
  private let width, height: Int
  /// The width and height of a corner in pixels.
  private let side: Int
  /// The coverage of the top left corner, from 0 to 255, by row.
  private let coverages: [UInt8]

  /// Creates a mask. The radius is in pixels, and limited to half of the shorter side.
  init(width: Int, height: Int, radius: Double) {
    let radius = radius > 0 ? min(radius, Double(min(width, height)) / 2) : 0
    let side = Int(radius.rounded(.up))
    self.width = width
    self.height = height
    self.side = side
    coverages = (0..<side * side).map { index in
      let x = max(0, radius - (Double(index % side) + 0.5))
      let y = max(0, radius - (Double(index / side) + 0.5))
      guard x > 0, y > 0 else { return 255 }
      let coverage = radius - (x * x + y * y).squareRoot() + 0.5
      return UInt8((min(1, max(0, coverage)) * 255).rounded())
    }
  }

  /// Returns the middle of `bitmap` in the size of the mask, with alpha multiplied by the coverage. Colors stay, even
  /// where alpha becomes 0, so that smooth scaling draws no dark edge. Stops early if `cancellation` is requested.
  func cut(_ bitmap: Bitmap, _ cancellation: DecodeCancellation) -> Bitmap {
    let left = (bitmap.width - width) / 2
    let top = (bitmap.height - height) / 2
    return Bitmap(width: width, height: height, format: bitmap.format, isOpaque: false) {
      pixels, bytesPerRow in
      bitmap.withUnsafeBytes { source in
        for y in 0..<height {
          if cancellation.isCancelled { return }
          let start = (top + y) * bitmap.bytesPerRow + left * PixelFormat.bytesPerPixel
          let row = UnsafeMutableRawBufferPointer(
            rebasing: pixels[(y * bytesPerRow)..<((y + 1) * bytesPerRow)])
          row.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[start..<(start + bytesPerRow)]))
          cutEnds(of: row, y: y)
        }
      }
    }
  }

  private func cutEnds(of row: UnsafeMutableRawBufferPointer, y: Int) {
    let fromEdge = min(y, height - 1 - y)
    guard fromEdge < side else { return }
    for x in 0..<side {
      let coverage = UInt32(coverages[fromEdge * side + x])
      cutAlpha(of: row, x: x, coverage)
      // The middle pixel of an odd width belongs to both corners and is cut once.
      if width - 1 - x != x { cutAlpha(of: row, x: width - 1 - x, coverage) }
    }
  }

  private func cutAlpha(of row: UnsafeMutableRawBufferPointer, x: Int, _ coverage: UInt32) {
    let alpha = x * PixelFormat.bytesPerPixel + 3
    row[alpha] = UInt8((UInt32(row[alpha]) * coverage + 127) / 255)
  }
}

extension Image {
  /// Returns a still image with the pixels changed by `change`; scale and format are kept.
  func mapPixels(sourceWidth: Int, sourceHeight: Int, _ change: (Bitmap) -> Bitmap) -> Image {
    Image(
      change(bitmap), scale: scale, format: format, sourceWidth: sourceWidth, sourceHeight: sourceHeight)
  }
}
