import CCodecs
import VitrineGraphics
import VitrineLoading

/// Writes lossy WebP, with a lossless alpha channel if the image has transparent pixels, and animated WebP for several
/// frames.
enum WebPEncoder {
  private static let quality: Float = 95

  static func encode(_ image: Image) throws(ImageError) -> [UInt8] {
    image.isAnimated ? try WebPAnimationEncoder.encode(image) : try encode(image.bitmap)
  }

  static func encode(_ bitmap: Bitmap) throws(ImageError) -> [UInt8] {
    try encode(bitmap, part: PixelArea(x: 0, y: 0, width: bitmap.width, height: bitmap.height))
  }

  /// Encodes a part of a bitmap as a still image.
  static func encode(_ bitmap: Bitmap, part: PixelArea) throws(ImageError) -> [UInt8] {
    guard max(part.width, part.height) <= Int(WEBP_MAX_DIMENSION) else {
      throw .encoding(.webp, message: "a side of more than \(WEBP_MAX_DIMENSION) pixels")
    }
    var encoded: UnsafeMutablePointer<UInt8>?
    let count = bitmap.withUnsafeBytes { pixels in
      let offset = part.y * bitmap.bytesPerRow + part.x * PixelFormat.bytesPerPixel
      let start = pixels.bindMemory(to: UInt8.self).baseAddress.map { $0 + offset }
      let (width, height, stride) = (Int32(part.width), Int32(part.height), Int32(bitmap.bytesPerRow))
      return bitmap.format == .bgra
        ? WebPEncodeBGRA(start, width, height, stride, quality, &encoded)
        : WebPEncodeRGBA(start, width, height, stride, quality, &encoded)
    }
    defer { WebPFree(encoded) }
    guard count > 0, let encoded else { throw .encoding(.webp, message: "out of memory") }
    return Array(UnsafeBufferPointer(start: encoded, count: count))
  }
}
