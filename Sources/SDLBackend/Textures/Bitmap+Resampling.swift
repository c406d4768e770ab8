import VitrineGraphics

extension Bitmap {
  /// Returns a part of the bitmap in another size and byte order; see `ResamplingTaps` for the filter.
  ///
  /// Colors are weighted with their alpha, so that colors of transparent pixels do not bleed into the result. Each
  /// source pixel is read once. Integer arithmetic makes the result the same on every machine.
  func resampled(
    _ source: Rect, width newWidth: Int, height newHeight: Int, format newFormat: PixelFormat = .bgra
  ) -> Bitmap {
    let columns = ResamplingTaps(
      start: source.minX, length: source.width, limit: width, size: newWidth, unit: WeightedRow.columnUnit)
    let rows = ResamplingTaps(
      start: source.minY, length: source.height, limit: height, size: newHeight, unit: WeightedRow.rowUnit)
    let swaps = format != newFormat
    return Bitmap(width: newWidth, height: newHeight, format: newFormat, isOpaque: isOpaque) { target, _ in
      withUnsafeBytes { bytes in
        let pixels = bytes.assumingMemoryBound(to: UInt32.self)
        guard let base = pixels.baseAddress,
          var line = target.assumingMemoryBound(to: UInt32.self).baseAddress
        else { return }
        var sum = WeightedRow(columns: columns.sources, isOpaque: isOpaque)
        for tap in rows.taps {
          sum.clear()
          for offset in 0..<tap.count {
            sum.add(base + (tap.first + offset) * width, weight: rows.weights[tap.weight + offset])
          }
          sum.write(columns, to: line)
          if swaps {
            for x in 0..<newWidth { line[x] = line[x].swappingRedAndBlue }
          }
          line += newWidth
        }
      }
    }
  }

  /// Returns a part of the bitmap, in whole pixels, in another byte order.
  func cropped(
    x: Int, y: Int, width newWidth: Int, height newHeight: Int, format newFormat: PixelFormat = .bgra
  ) -> Bitmap {
    let swaps = format != newFormat
    return Bitmap(width: newWidth, height: newHeight, format: newFormat, isOpaque: isOpaque) { target, _ in
      withUnsafeBytes { bytes in
        guard let base = bytes.assumingMemoryBound(to: UInt32.self).baseAddress,
          let line = target.assumingMemoryBound(to: UInt32.self).baseAddress
        else { return }
        for row in 0..<newHeight {
          let from = base + (y + row) * width + x
          let to = line + row * newWidth
          to.update(from: from, count: newWidth)
          if swaps {
            for x in 0..<newWidth { to[x] = to[x].swappingRedAndBlue }
          }
        }
      }
    }
  }

  /// Returns the bitmap with all colors replaced by white. The alpha stays.
  func whitened() -> Bitmap {
    Bitmap(width: width, height: height, format: format, isOpaque: isOpaque) { target, _ in
      withUnsafeBytes { bytes in
        let pixels = bytes.assumingMemoryBound(to: UInt32.self)
        let white = target.assumingMemoryBound(to: UInt32.self)
        for index in 0..<width * height { white[index] = pixels[index] | 0x00FF_FFFF }
      }
    }
  }

  /// Returns the bitmap with rounded corners. The alpha of all other pixels stays.
  func rounding(_ corners: CornerMask) -> Bitmap {
    let rect = PixelRect(width: width, height: height)
    return Bitmap(width: width, height: height, format: format, isOpaque: false) { target, _ in
      withUnsafeBytes { target.copyMemory(from: $0) }
      let pixels = target.assumingMemoryBound(to: UInt32.self)
      for y in 0..<height {
        guard let row = corners.row(of: y, in: rect) else { continue }
        corners.withRow(row) { left, right in
          for x in 0..<corners.radius {
            pixels[y * width + x].multiplyAlpha(by: left[x])
            pixels[(y + 1) * width - corners.radius + x].multiplyAlpha(by: right[x])
          }
        }
      }
    }
  }
}
