extension UInt32 {
  /// Packs four numbers from 0 to 255 into bytes, rounded: a float near 2²³ has no fraction bits, and its lowest bits
  /// are the number.
  @inline(__always)
  init(packing pixel: SIMD4<Float>) {
    let bits = unsafeBitCast(pixel + 8_388_608, to: SIMD4<UInt32>.self)
    self = unsafeBitCast(SIMD4<UInt8>(truncatingIfNeeded: bits), to: UInt32.self)
  }

  /// The alpha of an opaque pixel, in its place in memory.
  static var opaqueAlpha: UInt32 { UInt32(0xFF00_0000).littleEndian }
}
