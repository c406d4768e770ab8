import VitrineGraphics

/// A part of a bitmap, scaled to a rectangle with nearest-neighbor sampling: fast and coarse, for images that are shown
/// until a texture of the right size exists.
struct CoarseImage {
  let bitmap: Bitmap
  /// The part of the bitmap that is shown, in the bitmap's pixels.
  let source: Rect
  /// The rectangle on the screen.
  let rect: PixelRect
  /// The mask of the corners of `rect`.
  let corners: CornerMask

  /// Returns true if a row has transparent pixels.
  func blends(row y: Int) -> Bool { !bitmap.isOpaque || corners.row(of: y, in: rect) != nil }

  /// Calls `body` with the pixels in a part of the rectangle, or with one pixel for each block of `block` x `block`
  /// pixels.
  ///
  /// - Parameters:
  ///   - visible: The part of `rect` to sample.
  ///   - block: The side of a block in pixels.
  ///   - format: The byte order of the rows.
  ///   - body: Receives a row of pixels, and its y position on the screen; for blocks, the position of the first row of
  ///     the blocks.
  func withRows(
    of visible: PixelRect, block: Int = 1, format: PixelFormat,
    _ body: (_ row: UnsafeBufferPointer<UInt32>, _ y: Int) -> Void
  ) {
    let columns = stride(from: visible.left, to: visible.right, by: block).map { x in
      let x = min(x + block / 2, visible.right - 1) - rect.left
      return (x: x, source: Self.nearest(x, source.minX, source.width, rect.width, bitmap.width))
    }
    var line = [UInt32](repeating: 0, count: columns.count)
    let swaps = bitmap.format != format
    bitmap.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt32.self) else { return }
      for top in stride(from: visible.top, to: visible.bottom, by: block) {
        let y = min(top + block / 2, visible.bottom - 1)
        let sourceY = Self.nearest(y - rect.top, source.minY, source.height, rect.height, bitmap.height)
        let row = base + sourceY * bitmap.width
        for (index, column) in columns.enumerated() { line[index] = row[column.source] }
        if swaps {
          for index in line.indices { line[index] = line[index].swappingRedAndBlue }
        }
        line.withUnsafeMutableBufferPointer { line in
          corners.round(line, at: y, in: rect) { columns[$0].x }
        }
        line.withUnsafeBufferPointer { body($0, top) }
      }
    }
  }

  private static func nearest(
    _ position: Int, _ start: Double, _ length: Double, _ size: Int, _ limit: Int
  ) -> Int {
    min(limit - 1, max(0, Int(start + (Double(position) + 0.5) * length / Double(size))))
  }
}
