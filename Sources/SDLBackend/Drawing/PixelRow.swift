import VitrineGraphics

/// The effects that are applied to an image's pixels when they are drawn.
struct PixelEffect {
  /// The opacity, 0 to 255.
  var opacity: UInt16 = 255
  /// The color, 0xAARRGGBB, by which each channel is multiplied; `nil` to keep the colors.
  var tint: UInt32?
  /// True to replace the pixels' colors by the tint instead of multiplying.
  var replacesColors = false
  /// True to blend with the pixels' own alpha; false to treat the pixels as opaque.
  var blends = false

  /// True if the pixels can be copied without blending.
  var isCopy: Bool { opacity == 255 && tint == nil && !blends }
}

/// The inner loops of the software renderer. Each call draws a row of 0xAARRGGBB pixels with straight alpha. The alpha
/// of the target is ignored.
enum PixelRow {
  typealias Target = UnsafeMutablePointer<UInt32>
  typealias Source = UnsafePointer<UInt32>

  /// Draws a row of an image over the target.
  static func draw(_ source: Source, onto target: Target, count: Int, effect: PixelEffect) {
    if effect.isCopy {
      UnsafeMutableRawPointer(target).copyMemory(from: source, byteCount: count * 4)
    } else if effect.tint == nil, effect.opacity == 255 {
      blend(source, onto: target, count: count)
    } else if effect.tint == nil, !effect.blends {
      let alpha = PixelLanes(repeating: effect.opacity)
      apply(source, target, count) { pixels, old in old.covered(by: pixels, alpha: alpha) }
    } else {
      // Without a tint, the pixels are multiplied by white, which does not change them.
      let tint = PixelLanes(pixel: (effect.tint ?? 0xFFFF_FFFF) | 0xFF00_0000)
      let opacity = PixelLanes(repeating: effect.opacity)
      let ignored = PixelLanes(repeating: effect.blends ? 0 : 255)
      if effect.replacesColors {
        apply(source, target, count) { pixels, old in
          old.covered(by: tint, alpha: ((pixels.alphas | ignored) &* opacity).dividedBy255)
        }
      } else {
        apply(source, target, count) { pixels, old in
          let alpha = ((pixels.alphas | ignored) &* opacity).dividedBy255
          return old.covered(by: pixels.multiplied(by: tint), alpha: alpha)
        }
      }
    }
  }

  /// Blends with the pixels' own alpha. Groups of four transparent pixels are skipped, and groups of four opaque pixels
  /// are copied.
  private static func blend(_ source: Source, onto target: Target, count: Int) {
    apply(source, target, count) { pixels, old in
      let words = unsafeBitCast(pixels, to: SIMD2<UInt64>.self)
      let mask: UInt64 = 0xFF00_0000_FF00_0000
      if (words[0] | words[1]) & mask == 0 { return old }
      if words[0] & words[1] & mask == mask { return pixels }
      return old.covered(by: pixels, alpha: pixels.alphas)
    }
  }

  /// Fills with a translucent color.
  static func fill(_ target: Target, count: Int, color: Color) {
    let pixels = PixelLanes(pixel: color.pixel)
    let alpha = PixelLanes(repeating: UInt16(color.alpha))
    apply(target, target, count) { _, old in old.covered(by: pixels, alpha: alpha) }
  }

  /// Draws a color through a coverage of 0 to 255 per pixel.
  static func fill(_ target: Target, count: Int, color: Color, coverage: UnsafePointer<UInt8>) {
    let pixels = PixelLanes(pixel: color.pixel)
    let alpha = UInt16(color.alpha)
    var index = 0
    while index < count {
      let step = min(4, count - index)
      let four =
        step == 4
        ? UnsafeRawPointer(coverage + index).loadUnaligned(as: UInt32.self)
        : (0..<step).reduce(0) { $0 | UInt32(coverage[index + $1]) << (8 * UInt32($1)) }
      if four != 0 {
        // Byte n of the word becomes the low byte of lanes 2n and 2n + 1.
        var spread = PixelLanes(
          UInt16(truncatingIfNeeded: four), 0, UInt16(truncatingIfNeeded: four &>> 8), 0,
          UInt16(truncatingIfNeeded: four &>> 16), 0, UInt16(truncatingIfNeeded: four &>> 24), 0)
        spread &= 0xFF
        let both = unsafeBitCast(spread, to: SIMD4<UInt32>.self)
        spread = unsafeBitCast(both | (both &<< 16), to: PixelLanes.self)
        let scaled = (spread &* alpha).dividedBy255
        let result = load(target + index, step).covered(by: pixels, alpha: scaled)
        store(result, target + index, step)
      }
      index += 4
    }
  }

  @inline(__always)
  private static func apply(
    _ source: Source, _ target: Target, _ count: Int, _ body: (PixelLanes, PixelLanes) -> PixelLanes
  ) {
    var index = 0
    while index + 4 <= count {
      let result = body(load(source + index, 4), load(target + index, 4))
      UnsafeMutableRawPointer(target + index).storeBytes(of: result, as: PixelLanes.self)
      index += 4
    }
    if index < count {
      let remaining = count - index
      store(body(load(source + index, remaining), load(target + index, remaining)), target + index, remaining)
    }
  }

  @inline(__always)
  private static func load(_ pixels: Source, _ count: Int) -> PixelLanes {
    if count == 4 { return UnsafeRawPointer(pixels).loadUnaligned(as: PixelLanes.self) }
    var four = SIMD4<UInt32>()
    for index in 0..<count { four[index] = pixels[index] }
    return unsafeBitCast(four, to: PixelLanes.self)
  }

  @inline(__always)
  private static func store(_ lanes: PixelLanes, _ pixels: Target, _ count: Int) {
    let four = unsafeBitCast(lanes, to: SIMD4<UInt32>.self)
    for index in 0..<count { pixels[index] = four[index] }
  }
}
