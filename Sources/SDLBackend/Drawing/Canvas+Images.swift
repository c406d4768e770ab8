import VitrineGraphics

extension Canvas {
  /// Draws pixels one to one. `rect` must have the size of the pixels.
  func draw(_ image: ImagePixels, at rect: PixelRect, clip: PixelRect, effect: PixelEffect) {
    let visible = rect.intersection(clip)
    guard !visible.isEmpty else { return }
    let body = effect.blending(!image.isBodyOpaque)
    let radius = image.cornerRadius
    // Only the corners of an opaque image need blending, which is many times slower than copying.
    let inner = image.isBodyOpaque && radius > 0 ? (rect.left + radius)..<(rect.right - radius) : nil
    image.bitmap.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt32.self) else { return }
      for y in visible.top..<visible.bottom {
        let row = base + (image.y + y - rect.top) * image.bitmap.width + image.x - rect.left
        func draw(_ start: Int, _ end: Int, _ effect: PixelEffect) {
          let start = max(start, visible.left)
          let end = min(end, visible.right)
          guard start < end else { return }
          PixelRow.draw(row + start, onto: pointer(x: start, y: y), count: end - start, effect: effect)
        }
        if let inner, min(y - rect.top, rect.bottom - 1 - y) < radius {
          draw(rect.left, inner.lowerBound, effect.blending(true))
          draw(inner.lowerBound, inner.upperBound, body)
          draw(inner.upperBound, rect.right, effect.blending(true))
        } else {
          draw(rect.left, rect.right, body)
        }
      }
    }
  }

  /// Draws an image that has no texture.
  func draw(_ image: CoarseImage, clip: PixelRect, effect: PixelEffect) {
    let visible = image.rect.intersection(clip)
    guard !visible.isEmpty else { return }
    image.withRows(of: visible, format: .bgra) { row, y in
      draw(row.baseAddress, of: visible, at: y, effect: effect.blending(image.blends(row: y)))
    }
  }

  /// Draws an image that moves.
  func draw(_ image: MovingImage, clip: PixelRect, effect: PixelEffect) {
    let visible = image.rect.intersection(clip)
    guard !visible.isEmpty else { return }
    image.withRows(of: visible, format: .bgra) { row, y in
      draw(
        row.baseAddress.map { UnsafePointer($0) }, of: visible, at: y,
        effect: effect.blending(image.blends(row: y)))
    }
  }
}

extension Canvas {
  /// Draws a row of pixels over the visible part of an image.
  private func draw(
    _ row: UnsafePointer<UInt32>?, of visible: PixelRect, at y: Int, effect: PixelEffect
  ) {
    guard let row else { return }
    PixelRow.draw(row, onto: pointer(x: visible.left, y: y), count: visible.width, effect: effect)
  }
}

extension PixelEffect {
  func blending(_ blends: Bool) -> PixelEffect {
    var effect = self
    effect.blends = blends
    return effect
  }
}

extension UInt32 {
  /// The pixel converted to the other `PixelFormat`: red and blue are exchanged.
  var swappingRedAndBlue: UInt32 { self & 0xFF00_FF00 | (self &>> 16) & 0xFF | (self & 0xFF) &<< 16 }

  /// Multiplies the alpha of a 0xAARRGGBB pixel by `coverage`/255.
  mutating func multiplyAlpha(by coverage: UInt8) {
    let product = (self &>> 24) &* UInt32(coverage) &+ 127
    self = self & 0x00FF_FFFF | (product / 255) &<< 24
  }
}
