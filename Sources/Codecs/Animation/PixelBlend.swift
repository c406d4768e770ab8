import VitrineGraphics

/// A formula that blends a row of pixels over another, both with straight alpha.
struct PixelBlend: Sendable {
  /// Blends `count` pixels of four bytes, alpha last, over as many pixels at `target`.
  let draw: @Sendable (_ source: UnsafeRawPointer, _ target: UnsafeMutableRawPointer, _ count: Int) -> Void
  /// True if pixels are copied, and not blended, where the canvas is known to be clear.
  var copiesToClearCanvas = false

  /// The formula of Porter and Duff (*over*), with every channel rounded to the nearest number.
  ///
  /// An opaque pixel replaces the pixel below; a transparent pixel leaves the pixel below unchanged.
  static let exact = PixelBlend { source, target, count in
    let pixels = source.assumingMemoryBound(to: UInt32.self)
    let below = target.assumingMemoryBound(to: UInt32.self)
    for index in 0..<count {
      let pixel = UInt32(littleEndian: pixels[index])
      let pixelBelow = UInt32(littleEndian: below[index])
      let alpha = pixel >> 24
      if (alpha + 1) & 0xFE != 0 {
        below[index] = blended(pixel, over: pixelBelow).littleEndian
      } else {
        // All bits are 1 for alpha 255, and 0 for alpha 0. A branch would be mispredicted in most animations.
        let mask = UInt32(bitPattern: Int32(bitPattern: pixel) >> 31)
        below[index] = (pixel & mask | pixelBelow & ~mask).littleEndian
      }
    }
  }

  /// Returns the result for a pixel that is neither opaque nor transparent.
  private static func blended(_ pixel: UInt32, over below: UInt32) -> UInt32 {
    let alpha = pixel >> 24
    // The parts of both pixels and their sum, in units of 1/255². At most 65,025; times 255 fits in 32 bits.
    let part = alpha * 255
    let partBelow = (below >> 24) * (255 - alpha)
    let sum = part + partBelow
    var result = ((sum + 127) / 255) << 24
    for shift: UInt32 in [0, 8, 16] {
      let color = (pixel >> shift & 0xFF) * part + (below >> shift & 0xFF) * partBelow
      result |= ((color + sum / 2) / sum) << shift
    }
    return result
  }
}
