import VitrineGraphics

/// How much of each pixel lies inside a rectangle with round corners, and the bitmaps cut by it.
///
/// A pixel's share is taken from the distance of its centre to the arc: 1 when half a pixel or more inside, 0
/// when as far outside, in proportion between. All four corners are the same, so one is worked out, once an
/// image.
struct RoundedMask {
  private let width: Int
  private let height: Int
  /// Pixels of a corner, each way.
  private let side: Int
  /// Shares of the top left corner, 0 to 255, by row.
  private let shares: [UInt8]

  /// The radius in pixels; at most half of the shorter side.
  init(width: Int, height: Int, radius: Double) {
    let radius = radius > 0 ? min(radius, Double(min(width, height)) / 2) : 0
    let side = Int(radius.rounded(.up))
    self.width = width
    self.height = height
    self.side = side
    shares = (0..<side * side).map { place in
      let x = max(0, radius - (Double(place % side) + 0.5))
      let y = max(0, radius - (Double(place / side) + 0.5))
      guard x > 0, y > 0 else { return 255 }
      let share = radius - (x * x + y * y).squareRoot() + 0.5
      return UInt8((min(1, max(0, share)) * 255).rounded())
    }
  }

  /// The middle of `bitmap`, in the mask's size, with its alpha multiplied by the shares. Colours stay, also
  /// where nothing is left of them, so that smoothing while drawing brings no dark rim.
  func cut(_ bitmap: Bitmap) -> Bitmap {
    let left = (bitmap.width - width) / 2
    let top = (bitmap.height - height) / 2
    return Bitmap(width: width, height: height, format: bitmap.format, isOpaque: false) {
      pixels, bytesPerRow in
      bitmap.withUnsafeBytes { source in
        for y in 0..<height {
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
      let share = UInt32(shares[fromEdge * side + x])
      cutAlpha(of: row, x: x, share)
      // The middle pixel of an odd width belongs to both corners, and is cut once.
      if width - 1 - x != x { cutAlpha(of: row, x: width - 1 - x, share) }
    }
  }

  private func cutAlpha(of row: UnsafeMutableRawBufferPointer, x: Int, _ share: UInt32) {
    let alpha = x * PixelFormat.bytesPerPixel + 3
    row[alpha] = UInt8((UInt32(row[alpha]) * share + 127) / 255)
  }
}

extension Image {
  /// Every frame changed by `change`; times, scale and format kept.
  func mapFrames(
    sourceWidth: Int, sourceHeight: Int, _ change: (Bitmap) -> Bitmap
  ) -> Image {
    Image(
      frames: frames.map { Frame(bitmap: change($0.bitmap), duration: $0.duration) }, scale: scale,
      format: format, sourceWidth: sourceWidth, sourceHeight: sourceHeight)
  }
}
