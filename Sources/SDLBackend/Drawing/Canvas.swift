import VitrineGraphics

/// Memory to draw into: rows of 0xXXRRGGBB pixels. The canvas does not own the memory.
struct Canvas {
  let pixels: UnsafeMutablePointer<UInt32>
  let width, height: Int
  /// The distance from one row to the next in pixels.
  let pixelsPerRow: Int

  var bounds: PixelRect { PixelRect(width: width, height: height) }

  func pointer(x: Int, y: Int) -> UnsafeMutablePointer<UInt32> { pixels + y * pixelsPerRow + x }

  /// Fills the part of a rectangle that lies inside `clip`. `clip` must lie inside the canvas.
  func fill(_ rect: PixelRect, color: Color, clip: PixelRect) {
    let visible = rect.intersection(clip)
    guard !visible.isEmpty else { return }
    let first = pointer(x: visible.left, y: visible.top)
    if color.alpha == 255 {
      first.update(repeating: color.pixel, count: visible.width)
      for y in (visible.top + 1)..<max(visible.top + 1, visible.bottom) {
        pointer(x: visible.left, y: y).update(from: first, count: visible.width)
      }
    } else {
      for y in visible.top..<visible.bottom {
        PixelRow.fill(pointer(x: visible.left, y: y), count: visible.width, color: color)
      }
    }
  }

  /// Draws a color over the corners of a rectangle through a mask.
  func fillCorners(of rect: PixelRect, color: Color, corners: CornerMask, clip: PixelRect) {
    let radius = corners.radius
    let visible = rect.intersection(clip)
    guard !visible.isEmpty else { return }
    for y in visible.top..<visible.bottom {
      guard let row = corners.row(of: y, in: rect) else { continue }
      corners.withRow(row) { left, right in
        fill(left, from: rect.left, count: radius, y: y, color: color, visible: visible)
        fill(right, from: rect.right - radius, count: radius, y: y, color: color, visible: visible)
      }
    }
  }

  /// Draws a color through a mask whose top left corner lies at (`x`, `y`).
  func draw(_ mask: CoverageMask, x: Int, y: Int, color: Color, clip: PixelRect) {
    let visible = PixelRect(left: x, top: y, right: x + mask.width, bottom: y + mask.height)
      .intersection(clip)
    guard !visible.isEmpty else { return }
    mask.coverage.withUnsafeBufferPointer { coverage in
      guard let base = coverage.baseAddress else { return }
      for row in visible.top..<visible.bottom {
        fill(
          base + (row - y) * mask.width, from: x, count: mask.width, y: row, color: color, visible: visible)
      }
    }
  }

  /// Draws a color through a mask that is stretched along the given columns and rows.
  func draw(_ mask: CoverageMask, columns: [MaskSpan], rows: [MaskSpan], color: Color, clip: PixelRect) {
    mask.coverage.withUnsafeBufferPointer { coverage in
      guard let base = coverage.baseAddress else { return }
      for row in rows {
        guard let row = row.clipped(to: clip.top..<clip.bottom, of: 0..<mask.height) else { continue }
        for y in row.target {
          let line = base + row.source(of: y) * mask.width
          for column in columns {
            guard let column = column.clipped(to: clip.left..<clip.right, of: 0..<mask.width) else {
              continue
            }
            let (start, count) = (column.target.lowerBound, column.target.count)
            if column.isStretched {
              let color = color.multiplyingAlpha(by: Double(line[column.source.lowerBound]) / 255)
              if color.alpha > 0 { PixelRow.fill(pointer(x: start, y: y), count: count, color: color) }
            } else {
              PixelRow.fill(
                pointer(x: start, y: y), count: count, color: color, coverage: line + column.source.lowerBound
              )
            }
          }
        }
      }
    }
  }

  /// Draws a color through one row of coverage that begins at `left`, clipped to `visible`.
  private func fill(
    _ coverage: UnsafePointer<UInt8>, from left: Int, count: Int, y: Int, color: Color, visible: PixelRect
  ) {
    let start = max(left, visible.left)
    let end = min(left + count, visible.right)
    guard start < end else { return }
    PixelRow.fill(
      pointer(x: start, y: y), count: end - start, color: color, coverage: coverage + (start - left))
  }
}
