import CCodecs
import VitrineGraphics
import VitrineLoading

/// Writes lossy WebP, with an alpha channel if the image has transparent pixels.
enum WebPEncoder {
  private static let quality: Float = 95

  static func encode(_ bitmap: Bitmap) throws(ImageError) -> [UInt8] {
    guard max(bitmap.width, bitmap.height) <= Int(WEBP_MAX_DIMENSION) else {
      throw .encoding(.webp, message: "a side of more than \(WEBP_MAX_DIMENSION) pixels")
    }
    var encoded: UnsafeMutablePointer<UInt8>?
    let count = bitmap.withUnsafeBytes { pixels in
      let start = pixels.bindMemory(to: UInt8.self).baseAddress
      let (width, height, stride) = (Int32(bitmap.width), Int32(bitmap.height), Int32(bitmap.bytesPerRow))
      return bitmap.format == .bgra
        ? WebPEncodeBGRA(start, width, height, stride, quality, &encoded)
        : WebPEncodeRGBA(start, width, height, stride, quality, &encoded)
    }
    defer { WebPFree(encoded) }
    guard count > 0, let encoded else { throw .encoding(.webp, message: "out of memory") }
    return Array(UnsafeBufferPointer(start: encoded, count: count))
  }
}
