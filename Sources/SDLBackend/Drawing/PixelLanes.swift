import VitrineGraphics

/// Four pixels as eight lanes of 16 bits: in each lane the low byte is blue or red, the high byte green or
/// alpha. Sums of two products of bytes fit into a lane, so blending needs no wider type, and every operation
/// here is one or two instructions of plain SSE2 or NEON.
typealias PixelLanes = SIMD8<UInt16>

extension PixelLanes {
  /// Four pixels of one value.
  @inline(__always)
  nonisolated init(pixel: UInt32) {
    self = unsafeBitCast(SIMD4<UInt32>(repeating: pixel), to: PixelLanes.self)
  }

  /// Blue and red of each pixel.
  @inline(__always) nonisolated var low: PixelLanes { self & 0xFF }
  /// Green and alpha of each pixel.
  @inline(__always) nonisolated var high: PixelLanes { self &>> 8 }

  /// The alpha of each pixel in both of its lanes.
  @inline(__always)
  nonisolated var alphas: PixelLanes {
    let alpha = unsafeBitCast(self, to: SIMD4<UInt32>.self) &>> 24
    return unsafeBitCast(alpha | (alpha &<< 16), to: PixelLanes.self)
  }

  /// Divided by 255 and rounded to nearest; exact for 0…65025.
  @inline(__always)
  nonisolated var dividedBy255: PixelLanes {
    let value = self &+ 128
    return (value &+ (value &>> 8)) &>> 8
  }

  /// `source` laid over these pixels with an alpha a lane: `self * (1 - alpha) + source * alpha`.
  @inline(__always)
  nonisolated func covered(by source: PixelLanes, alpha: PixelLanes) -> PixelLanes {
    let rest = 255 &- alpha
    let low = (source.low &* alpha &+ self.low &* rest).dividedBy255
    let high = (source.high &* alpha &+ self.high &* rest).dividedBy255
    return low | (high &<< 8)
  }

  /// Channel by channel, as if each were 0…1.
  @inline(__always)
  nonisolated func multiplied(by other: PixelLanes) -> PixelLanes {
    (low &* other.low).dividedBy255 | ((high &* other.high).dividedBy255 &<< 8)
  }
}

extension Color {
  /// As the renderer stores it: 0xAARRGGBB, which is blue, green, red, alpha in memory.
  nonisolated var pixel: UInt32 {
    UInt32(alpha) << 24 | UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue)
  }
}
