import VitrineGraphics

extension Canvas {
  /// Draws a texture pixel for pixel; `rect` has its size.
  func draw(_ texture: PictureTexture, at rect: PixelRect, clip: PixelRect, effect: PixelEffect) {
    let visible = rect.intersection(clip)
    guard !visible.isEmpty else { return }
    let body = effect.blending(!texture.isBodyOpaque)
    let radius = texture.cornerRadius
    // Only the corners of an opaque picture need blending, which is many times slower than copying.
    let inner =
      texture.isBodyOpaque && radius > 0 ? (rect.left + radius)..<(rect.right - radius) : nil
    texture.bitmap.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt32.self) else { return }
      for y in visible.top..<visible.bottom {
        let row = base + (texture.y + y - rect.top) * texture.bitmap.width + texture.x - rect.left
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

  /// Draws a part of a bitmap scaled to `rect`, each pixel that of the nearest in the source: quick and
  /// coarse, for what is shown only until a texture of the right size is made.
  func drawScaled(
    _ bitmap: Bitmap, source: Rect, to rect: PixelRect, corners: CornerMask, clip: PixelRect,
    effect: PixelEffect
  ) {
    let visible = rect.intersection(clip)
    guard !visible.isEmpty else { return }
    func nearest(_ position: Int, _ start: Double, _ length: Double, _ size: Int, _ limit: Int) -> Int {
      min(limit - 1, max(0, Int(start + (Double(position) + 0.5) * length / Double(size))))
    }
    let columns = (visible.left..<visible.right).map {
      nearest($0 - rect.left, source.minX, source.width, rect.width, bitmap.width)
    }
    var line = [UInt32](repeating: 0, count: visible.width)
    let swaps = bitmap.format != .bgra
    bitmap.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt32.self) else { return }
      for y in visible.top..<visible.bottom {
        let sourceY = nearest(y - rect.top, source.minY, source.height, rect.height, bitmap.height)
        let row = base + sourceY * bitmap.width
        for (index, column) in columns.enumerated() { line[index] = row[column] }
        if swaps {
          for index in line.indices { line[index] = line[index].swappingRedAndBlue }
        }
        var effect = effect.blending(!bitmap.isOpaque)
        if let cornerRow = corners.row(of: y, in: rect) {
          effect.blends = true
          corners.withRow(cornerRow) { left, right in
            for index in line.indices {
              let x = visible.left + index - rect.left
              let fromRight = x - (rect.width - corners.radius)
              if x < corners.radius {
                line[index].multiplyAlpha(by: left[x])
              } else if fromRight >= 0 {
                line[index].multiplyAlpha(by: right[fromRight])
              }
            }
          }
        }
        line.withUnsafeBufferPointer { line in
          guard let start = line.baseAddress else { return }
          PixelRow.draw(
            start, onto: pointer(x: visible.left, y: y), count: visible.width, effect: effect)
        }
      }
    }
  }
}

extension PixelEffect {
  nonisolated func blending(_ blends: Bool) -> PixelEffect {
    var effect = self
    effect.blends = blends
    return effect
  }
}

extension UInt32 {
  /// A pixel of the other `PixelFormat`.
  nonisolated var swappingRedAndBlue: UInt32 {
    self & 0xFF00_FF00 | (self &>> 16) & 0xFF | (self & 0xFF) &<< 16
  }

  /// Of a pixel, 0xAARRGGBB.
  nonisolated mutating func multiplyAlpha(by coverage: UInt8) {
    let product = (self &>> 24) &* UInt32(coverage) &+ 127
    self = self & 0x00FF_FFFF | (product / 255) &<< 24
  }
}
