import VitrineGraphics

/// A part of a bitmap, scaled to a rectangle with bilinear sampling, for images whose scale or position changes with
/// each frame. The part may begin and end at fractions of a pixel.
///
/// An image that is made much smaller in this way flickers, because sampling skips pixels: at most half of each side
/// should be saved.
struct MovingImage {
  let bitmap: Bitmap
  /// The part of the bitmap that is shown, in the bitmap's pixels; not empty, and inside the bitmap.
  let source: Rect
  /// The rectangle on the screen; not empty.
  let rect: PixelRect
  /// The mask of the corners of `rect`.
  let corners: CornerMask

  /// Returns true if a row has transparent pixels.
  func blends(row y: Int) -> Bool { !bitmap.isOpaque || corners.row(of: y, in: rect) != nil }

  /// Calls `body` with the pixels in a part of the rectangle, row by row.
  ///
  /// - Parameters:
  ///   - visible: The part of `rect` to sample; not empty.
  ///   - format: The byte order of the rows.
  ///   - body: Receives a row of pixels, and its y position on the screen.
  func withRows(
    of visible: PixelRect, format: PixelFormat,
    _ body: (_ row: UnsafeMutableBufferPointer<UInt32>, _ y: Int) -> Void
  ) {
    let columns = SampledColumns(
      (visible.left..<visible.right).map { x in
        SamplePosition(
          x - rect.left, of: rect.width, from: source.minX, length: source.width, limit: bitmap.width)
      })
    let span = columns.first..<min(columns.end, bitmap.width)
    // A pair that begins at the last pixel of the bitmap ends with a copy of this pixel.
    let mixed = UnsafeMutablePointer<UInt32>.allocate(capacity: span.count + 1)
    let line = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: visible.width)
    defer {
      mixed.deallocate()
      line.deallocate()
    }
    let swaps = bitmap.format != format
    bitmap.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt32.self),
        let target = line.baseAddress
      else { return }
      for y in visible.top..<visible.bottom {
        let row = SamplePosition(
          y - rect.top, of: rect.height, from: source.minY, length: source.height, limit: bitmap.height)
        let upper = base + row.index * bitmap.width + span.lowerBound
        let lower = base + min(row.index + 1, bitmap.height - 1) * bitmap.width + span.lowerBound
        PixelMean.mix(upper, lower, weight: row.weight, into: mixed, count: span.count)
        mixed[span.count] = mixed[span.count - 1]
        columns.sample(mixed, into: target)
        if swaps { for index in line.indices { line[index] = line[index].swappingRedAndBlue } }
        corners.round(line, at: y, in: rect) { visible.left + $0 - rect.left }
        body(line, y)
      }
    }
  }
}

/// A position between two neighbouring pixels of a bitmap's side.
struct SamplePosition: Hashable {
  /// The index of the first pixel.
  let index: Int
  /// The weight of the second pixel, 0 to 256.
  let weight: UInt16

  /// Returns the position of the middle of a pixel on the screen.
  ///
  /// - Parameters:
  ///   - position: The index of the pixel on the screen, from the start of the image.
  ///   - size: The number of pixels of the image on the screen.
  ///   - start: The start of the shown part in the bitmap.
  ///   - length: The length of the shown part in the bitmap.
  ///   - limit: The number of pixels of the bitmap.
  init(_ position: Int, of size: Int, from start: Double, length: Double, limit: Int) {
    let middle = start + (Double(position) + 0.5) * length / Double(size) - 0.5
    let clamped = min(Double(limit - 1), max(0, middle))
    index = Int(clamped)
    weight = UInt16(((clamped - Double(index)) * 256).rounded())
  }
}
