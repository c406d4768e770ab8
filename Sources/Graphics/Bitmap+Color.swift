extension Bitmap {
  /// Creates a bitmap of one color.
  ///
  /// - Precondition: `width` and `height` are positive.
  public init(width: Int, height: Int, color: Color, format: PixelFormat = .bgra) {
    self.init(width: width, height: height, format: format, isOpaque: color.alpha == 255) { pixels, _ in
      let bytes = color.bytes(in: format)
      pixels.bindMemory(to: (UInt8, UInt8, UInt8, UInt8).self).update(repeating: bytes)
    }
  }

  /// Creates a bitmap whose pixels have the colors that a closure returns.
  ///
  /// ```swift
  /// let ramp = Bitmap(width: 256, height: 1) { x, _ in Color(red: UInt8(x), green: 0, blue: 0) }
  /// ```
  ///
  /// - Precondition: `width` and `height` are positive.
  public init(width: Int, height: Int, format: PixelFormat = .bgra, color: (_ x: Int, _ y: Int) -> Color) {
    var isOpaque = true
    let bitmap = Bitmap(width: width, height: height, format: format, isOpaque: false) { bytes, bytesPerRow in
      for y in 0..<height {
        for x in 0..<width {
          let color = color(x, y)
          isOpaque = isOpaque && color.alpha == 255
          bytes.storeBytes(
            of: color.bytes(in: format), toByteOffset: y * bytesPerRow + x * PixelFormat.bytesPerPixel,
            as: (UInt8, UInt8, UInt8, UInt8).self)
        }
      }
    }
    self = bitmap.assumingOpaque(isOpaque)
  }
}

extension Image {
  /// Returns an image of one color, for example as a placeholder. The size is in pixels.
  public static func solid(_ color: Color = .black, width: Int, height: Int, scale: Double = 1) -> Image {
    Image(Bitmap(width: width, height: height, color: color), scale: scale)
  }

  /// Creates an image whose pixels have the colors that a closure returns. The size is in pixels.
  ///
  /// ```swift
  /// let checks = Image(width: 64, height: 64) { x, y in (x / 8 + y / 8) % 2 == 0 ? .white : .black }
  /// ```
  public convenience init(
    width: Int, height: Int, scale: Double = 1, color: (_ x: Int, _ y: Int) -> Color
  ) {
    self.init(Bitmap(width: width, height: height, color: color), scale: scale)
  }
}

extension Color {
  fileprivate func bytes(in format: PixelFormat) -> (UInt8, UInt8, UInt8, UInt8) {
    format == .rgba ? (red, green, blue, alpha) : (blue, green, red, alpha)
  }
}
