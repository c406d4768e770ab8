import VitrineGraphics

extension Canvas {
  /// Pixels a side of the blocks in which a picture is turned by a quarter: a row of one is what the processor's
  /// cache reads at once, so that each line of memory, here and there, is fetched only once.
  private static var block: Int { 16 }

  /// Copies a rectangle of an upright picture to where it lies on this panel, turned. The panel has the size that
  /// the turned picture has, and other memory.
  func copy(_ rect: PixelRect, of upright: Canvas, turnedBy rotation: Rotation) {
    let rect = rect.intersection(upright.bounds)
    guard !rect.isEmpty else { return }
    let target = rect.turned(by: rotation, in: (upright.width, upright.height))
    let first: Target
    switch rotation {
    case .none:
      first = Target(pixels: pointer(x: target.left, y: target.top), toRight: 1, toBottom: pixelsPerRow)
    case .quarter:
      first = Target(
        pixels: pointer(x: target.right - 1, y: target.top), toRight: pixelsPerRow, toBottom: -1)
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

/// Where the top left pixel of an upright rectangle goes, and how far it is from there to its neighbours'.
private nonisolated struct Target {
  let pixels: UnsafeMutablePointer<UInt32>
  let toRight: Int
  let toBottom: Int

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

  /// A row of the picture becomes a column of the panel.
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
