import VitrineGraphics

extension Bitmap {
  /// A part of the bitmap in another size, blue first; see `ResamplingTaps` for the filter.
  ///
  /// Colours are weighted with their alpha, so that what lies under transparent pixels does not bleed out.
  nonisolated func resampled(_ source: Rect, width newWidth: Int, height newHeight: Int) -> Bitmap {
    let columns = ResamplingTaps(start: source.minX, length: source.width, limit: width, size: newWidth)
    let rows = ResamplingTaps(start: source.minY, length: source.height, limit: height, size: newHeight)
    let swaps = format != .bgra
    return Bitmap(width: newWidth, height: newHeight, format: .bgra, isOpaque: isOpaque) {
      target, bytesPerRow in
      withUnsafeBytes { bytes in
        // One row of the result before its columns are weighted.
        var line = [SIMD4<Float>](repeating: .zero, count: columns.sources.count)
        for (y, tap) in rows.taps.enumerated() {
          line.withUnsafeMutableBufferPointer { line in
            line.update(repeating: .zero)
            for offset in 0..<tap.count {
              let start = ((tap.first + offset) * width + columns.sources.lowerBound) * 4
              let weight = rows.weights[tap.weight + offset]
              if isOpaque {
                for x in line.indices {
                  line[x] += Self.channels(bytes, start + x * 4) * weight
                }
              } else {
                for x in line.indices {
                  line[x] += Self.channels(bytes, start + x * 4).weightedWithAlpha * weight
                }
              }
            }
          }
          for (x, tap) in columns.taps.enumerated() {
            var sum = SIMD4<Float>.zero
            for offset in 0..<tap.count {
              sum +=
                line[tap.first - columns.sources.lowerBound + offset] * columns.weights[tap.weight + offset]
            }
            var pixel = (isOpaque ? sum : sum.withoutAlphaWeight).pixel
            if swaps { pixel = pixel.swappingRedAndBlue }
            if isOpaque { pixel |= 0xFF00_0000 }
            target.storeBytes(of: pixel, toByteOffset: y * bytesPerRow + x * 4, as: UInt32.self)
          }
        }
      }
    }
  }

  /// A part of the bitmap in whole pixels, blue first.
  nonisolated func cropped(x: Int, y: Int, width newWidth: Int, height newHeight: Int) -> Bitmap {
    let swaps = format != .bgra
    return Bitmap(width: newWidth, height: newHeight, format: .bgra, isOpaque: isOpaque) {
      target, bytesPerRow in
      withUnsafeBytes { bytes in
        for row in 0..<newHeight {
          let start = ((y + row) * width + x) * 4
          let line = UnsafeMutableRawBufferPointer(
            rebasing: target[(row * bytesPerRow)..<((row + 1) * bytesPerRow)])
          line.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<(start + newWidth * 4)]))
          guard swaps else { continue }
          let pixels = line.assumingMemoryBound(to: UInt32.self)
          for index in pixels.indices { pixels[index] = pixels[index].swappingRedAndBlue }
        }
      }
    }
  }

  /// The same with rounded corners; everything else stays as opaque as it is.
  nonisolated func rounding(_ corners: CornerMask) -> Bitmap {
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

  @inline(__always)
  nonisolated private static func channels(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> SIMD4<Float> {
    let pixel = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
    let lanes = (SIMD4<UInt32>(repeating: pixel) &>> SIMD4(0, 8, 16, 24)) & 0xFF
    // Via signed integers: that conversion is one instruction.
    return SIMD4<Float>(SIMD4<Int32>(truncatingIfNeeded: lanes))
  }
}

extension SIMD4<Float> {
  /// Colours multiplied by the alpha in the last place (0…255), as a share of 1.
  @inline(__always)
  nonisolated fileprivate var weightedWithAlpha: SIMD4<Float> {
    let share = self[3] / 255
    return self * SIMD4(share, share, share, 1)
  }

  @inline(__always)
  nonisolated fileprivate var withoutAlphaWeight: SIMD4<Float> {
    let factor = self[3] > 0 ? 255 / self[3] : 0
    return self * SIMD4(factor, factor, factor, 1)
  }

  @inline(__always)
  nonisolated fileprivate var pixel: UInt32 {
    let rounded = (self + 0.5).clamped(lowerBound: .zero, upperBound: SIMD4(repeating: 255.49))
    let lanes = SIMD4<UInt32>(truncatingIfNeeded: SIMD4<Int32>(rounded)) &<< SIMD4<UInt32>(0, 8, 16, 24)
    return lanes.wrappedSum()
  }
}
