import VitrineGraphics

/// Four pixels as eight lanes of 16 bits: the low byte of a lane is blue or red, the high byte green or alpha. A sum of
/// two products of bytes fits in a lane if their weights add up to 255, so blending needs no wider type. Every
/// operation here is one or two instructions of SSE2 or NEON.
typealias PixelLanes = SIMD8<UInt16>

extension PixelLanes {
  /// Creates four equal pixels.
  @inline(__always)
  init(pixel: UInt32) { self = unsafeBitCast(SIMD4<UInt32>(repeating: pixel), to: PixelLanes.self) }

  /// The blue and red of each pixel.
  @inline(__always) var low: PixelLanes { self & 0xFF }
  /// The green and alpha of each pixel.
  @inline(__always) var high: PixelLanes { self &>> 8 }

  /// The alpha of each pixel, in both lanes of the pixel.
  @inline(__always)
  var alphas: PixelLanes {
    let alpha = unsafeBitCast(self, to: SIMD4<UInt32>.self) &>> 24
    return unsafeBitCast(alpha | (alpha &<< 16), to: PixelLanes.self)
  }

  /// The lanes divided by 255, rounded to nearest; exact for 0 to 65025.
  @inline(__always)
  var dividedBy255: PixelLanes {
    let value = self &+ 128
    return (value &+ (value &>> 8)) &>> 8
  }

  /// Blends `source` over these pixels with an alpha per lane: `self * (1 - alpha) + source * alpha`.
  @inline(__always)
  func covered(by source: PixelLanes, alpha: PixelLanes) -> PixelLanes {
    let inverse = 255 &- alpha
    let low = (source.low &* alpha &+ self.low &* inverse).dividedBy255
    let high = (source.high &* alpha &+ self.high &* inverse).dividedBy255
    return low | (high &<< 8)
  }

  /// Multiplies channel by channel, with 255 as 1.
  @inline(__always)
  func multiplied(by other: PixelLanes) -> PixelLanes {
    (low &* other.low).dividedBy255 | ((high &* other.high).dividedBy255 &<< 8)
  }
}

extension Color {
  /// The color as 0xAARRGGBB, which is blue, green, red, alpha in memory.
  var pixel: UInt32 { UInt32(alpha) << 24 | UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue) }
}
