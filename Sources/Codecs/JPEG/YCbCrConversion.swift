import VitrineGraphics

/// The conversion from YCbCr to opaque RGB pixels (ITU T.871, section 7).
struct YCbCrConversion {
  /// The contributions of a blue and of a red difference to the components of a pixel, in the order of its bytes.
  private let blue, red: SIMD4<Float>

  init(_ format: PixelFormat) {
    let (blue, red) = (SIMD4<Float>(0, -0.344136, 1.772, 0), SIMD4<Float>(1.402, -0.714136, 0, 0))
    func ordered(_ vector: SIMD4<Float>) -> SIMD4<Float> {
      format == .rgba ? vector : SIMD4(vector.z, vector.y, vector.x, vector.w)
    }
    (self.blue, self.red) = (ordered(blue), ordered(red))
  }

  /// Writes `count` pixels of four bytes. All components are from 0 to 255, or slightly outside.
  func write(
    _ luma: UnsafePointer<Float>, blue blues: UnsafePointer<Float>, red reds: UnsafePointer<Float>,
    to pixels: UnsafeMutableRawPointer, count: Int
  ) {
    for x in 0..<count {
      let difference = blue * (blues[x] - 128) + red * (reds[x] - 128)
      Self.store(SIMD4(repeating: luma[x]) + difference, to: pixels, at: x)
    }
  }

  /// Writes `count` gray pixels.
  static func write(gray luma: UnsafePointer<Float>, to pixels: UnsafeMutableRawPointer, count: Int) {
    for x in 0..<count { store(SIMD4(repeating: luma[x]), to: pixels, at: x) }
  }

  @inline(__always)
  private static func store(_ pixel: SIMD4<Float>, to pixels: UnsafeMutableRawPointer, at x: Int) {
    let clamped = pixel.clamped(lowerBound: .zero, upperBound: SIMD4(repeating: 255))
    pixels.storeBytes(of: UInt32(packing: clamped) | .opaqueAlpha, toByteOffset: x &* 4, as: UInt32.self)
  }
}
