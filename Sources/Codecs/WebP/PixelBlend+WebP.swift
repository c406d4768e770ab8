extension PixelBlend {
  /// The formula of libwebp's animation decoder. It rounds channels down, so a result can be one less than that of `exact`.
  ///
  /// An opaque pixel replaces the pixel below; a transparent pixel leaves the pixel below unchanged. On a keyframe, and
  /// where the previous frame was cleared, libwebp does not blend.
  static let webP = PixelBlend(
    draw: { source, target, count in blendRow(source, target, count) }, copiesToClearCanvas: true)

  private static func blendRow(_ source: UnsafeRawPointer, _ target: UnsafeMutableRawPointer, _ count: Int) {
    let pixels = source.assumingMemoryBound(to: UInt32.self)
    let below = target.assumingMemoryBound(to: UInt32.self)
    for index in 0..<count {
      let pixel = UInt32(littleEndian: pixels[index])
      switch pixel >> 24 {
      case 255: below[index] = pixels[index]
      case 0: break
      default: below[index] = rounded(pixel, over: UInt32(littleEndian: below[index])).littleEndian
      }
    }
  }

  /// Returns the result for a pixel that is neither opaque nor transparent.
  private static func rounded(_ pixel: UInt32, over below: UInt32) -> UInt32 {
    let alpha = pixel >> 24
    let alphaBelow = ((below >> 24) * (256 - alpha)) >> 8
    let sum = alpha + alphaBelow
    // A channel times its sum of alpha times this factor is at most 255 << 24.
    let factor = (1 << 24) / sum
    var result = sum << 24
    for shift: UInt32 in [0, 8, 16] {
      let color = (pixel >> shift & 0xFF) * alpha + (below >> shift & 0xFF) * alphaBelow
      result |= ((color * factor) >> 24) << shift
    }
    return result
  }
}
