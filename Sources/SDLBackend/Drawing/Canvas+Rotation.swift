import VitrineGraphics

extension Canvas {
  /// The side in pixels of the blocks in which pixels are rotated by a quarter turn. A row of a block has 64 bytes, one
  /// cache line, so that each cache line is loaded only once.
  private static var block: Int { 16 }

  /// Copies a rectangle of an upright canvas to its rotated position on this canvas, the panel. The panel must have the
  /// size of the rotated canvas and other memory.
  func copy(_ rect: PixelRect, of upright: Canvas, turnedBy rotation: Rotation) {
    let rect = rect.intersection(upright.bounds)
    guard !rect.isEmpty else { return }
    let target = rect.turned(by: rotation, in: (upright.width, upright.height))
    let first: Target
    switch rotation {
    case .none:
      first = Target(pixels: pointer(x: target.left, y: target.top), toRight: 1, toBottom: pixelsPerRow)
    case .quarter:
      first = Target(pixels: pointer(x: target.right - 1, y: target.top), toRight: pixelsPerRow, toBottom: -1)
    case .half:
      first = Target(
        pixels: pointer(x: target.right - 1, y: target.bottom - 1), toRight: -1, toBottom: -pixelsPerRow)
    case .threeQuarters:
      first = Target(
        pixels: pointer(x: target.left, y: target.bottom - 1), toRight: -pixelsPerRow, toBottom: 1)
    }
    if rotation.swapsSides {
      first.copyInBlocks(rect, of: upright, side: Self.block)
    } else {
      first.copyRows(rect, of: upright)
    }
  }
}

/// The target of a rotated copy: the address of the top left upright pixel, and the distances in pixels to the
/// addresses of its right and bottom neighbors.
private struct Target {
  let pixels: UnsafeMutablePointer<UInt32>
  let toRight, toBottom: Int

  func copyRows(_ rect: PixelRect, of upright: Canvas) {
    for y in 0..<rect.height {
      let source = upright.pointer(x: rect.left, y: rect.top + y)
      let target = pixels + y * toBottom
      if toRight == 1 {
        target.update(from: source, count: rect.width)
      } else {
        for x in 0..<rect.width { target[-x] = source[x] }
      }
    }
  }

  /// Copies block by block: rows of the upright canvas become columns of the panel.
  func copyInBlocks(_ rect: PixelRect, of upright: Canvas, side: Int) {
    for top in stride(from: 0, to: rect.height, by: side) {
      let bottom = min(top + side, rect.height)
      for left in stride(from: 0, to: rect.width, by: side) {
        let right = min(left + side, rect.width)
        for y in top..<bottom {
          let source = upright.pointer(x: rect.left + left, y: rect.top + y)
          var target = pixels + y * toBottom + left * toRight
          for x in 0..<(right - left) {
            target.pointee = source[x]
            target += toRight
          }
        }
      }
    }
  }
}
