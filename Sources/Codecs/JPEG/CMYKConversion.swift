import VitrineGraphics

/// Converts CMYK without a color profile to RGB, which libjpeg does not do.
enum CMYKConversion {
  /// Converts CMYK to opaque pixels in place. Assumes Adobe's convention, which all writers of such files follow: 255
  /// means no ink.
  static func convertToPixels(_ memory: UnsafeMutableRawPointer, count: Int, format: PixelFormat) {
    let bytes = memory.assumingMemoryBound(to: UInt8.self)
    let red = format == .rgba ? 0 : 2
    for pixel in stride(from: 0, to: count * 4, by: 4) {
      let black = UInt32(bytes[pixel + 3])
      let cyan = UInt32(bytes[pixel])
      let magenta = UInt32(bytes[pixel + 1])
      let yellow = UInt32(bytes[pixel + 2])
      bytes[pixel + red] = UInt8((cyan * black + 127) / 255)
      bytes[pixel + 1] = UInt8((magenta * black + 127) / 255)
      bytes[pixel + 2 - red] = UInt8((yellow * black + 127) / 255)
      bytes[pixel + 3] = 255
    }
  }
}
