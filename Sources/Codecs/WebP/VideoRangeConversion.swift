import VitrineGraphics

/// The conversion from YCbCr in video range, of which WebP is made, to opaque RGB pixels (ITU-R BT.601).
struct VideoRangeConversion {
  private let isBlueFirst: Bool

  init(_ format: PixelFormat) { isBlueFirst = format == .bgra }

  /// The number of pixels that are converted at once.
  static let pixelsAtOnce = 8

  /// Writes a row of pixels, four bytes each. All samples are in 256ths.
  ///
  /// - Parameters:
  ///   - blue: The blue difference of each pixel.
  ///   - red: The red difference of each pixel.
  ///   - count: The number of pixels, a multiple of `pixelsAtOnce`.
  func write(
    _ luma: UnsafePointer<UInt16>, blue: UnsafePointer<UInt16>, red: UnsafePointer<UInt16>,
    to pixels: UnsafeMutableRawPointer, count: Int
  ) {
    for start in stride(from: 0, to: count, by: Self.pixelsAtOnce) {
      func load(_ samples: UnsafePointer<UInt16>) -> SIMD8<UInt16> {
        UnsafeRawPointer(samples + start).loadUnaligned(as: SIMD8.self)
      }
      let colors = Self.colors(load(luma), load(blue), load(red))
      let (first, third) = isBlueFirst ? (colors.blue, colors.red) : (colors.red, colors.blue)
      let opaque = SIMD8<UInt32>(repeating: 0xFF00_0000)
      pixels.storeBytes(
        of: first | colors.green &<< 8 | third &<< 16 | opaque, toByteOffset: start &* 4,
        as: SIMD8<UInt32>.self)
    }
  }

  @inline(__always)
  private static func colors(
    _ luma: SIMD8<UInt16>, _ blue: SIMD8<UInt16>, _ red: SIMD8<UInt16>
  ) -> (red: SIMD8<UInt32>, green: SIMD8<UInt32>, blue: SIMD8<UInt32>) {
    let middle = SIMD8<UInt16>(repeating: 0x8000)
    let u = SIMD8<Int16>(truncatingIfNeeded: blue ^ middle)
    let v = SIMD8<Int16>(truncatingIfNeeded: red ^ middle)
    // In 64ths, with factors as those of libwebp. Black is 16, which is 1192, and 32 rounds.
    let level = SIMD8<Int16>(truncatingIfNeeded: product(luma, 19_077)) &- 1160
    let redLevel = level &+ product(v, 26_149)
    let greenLevel = level &- product(u, 6_419) &- product(v, 13_320)
    // The sum may not fit 16 bits, so it is halved. The factor is 33,050 = 32,768 + 282.
    let blueLevel = level &>> 1 &+ u &>> 2 &+ product(u, 141)
    return (byte(redLevel &>> 6), byte(greenLevel &>> 6), byte(blueLevel &>> 5))
  }

  @inline(__always)
  private static func product(_ values: SIMD8<UInt16>, _ factor: UInt32) -> SIMD8<UInt16> {
    SIMD8(truncatingIfNeeded: (SIMD8<UInt32>(truncatingIfNeeded: values) &* factor) &>> 16)
  }

  @inline(__always)
  private static func product(_ values: SIMD8<Int16>, _ factor: Int32) -> SIMD8<Int16> {
    SIMD8(truncatingIfNeeded: (SIMD8<Int32>(truncatingIfNeeded: values) &* factor) &>> 16)
  }

  @inline(__always)
  private static func byte(_ values: SIMD8<Int16>) -> SIMD8<UInt32> {
    SIMD8(truncatingIfNeeded: values.clamped(lowerBound: .zero, upperBound: SIMD8(repeating: 255)))
  }
}
