import CCodecs
import Glibc
import VitrineGraphics
import VitrineLoading

/// Writes baseline JPEG without chroma subsampling.
enum JPEGEncoder {
  private static let longestSide = 65_500

  /// Encodes a bitmap with a quality from 0 to 1.
  static func encode(_ bitmap: Bitmap, quality: Double = 0.95) throws(ImageError) -> [UInt8] {
    let percent = quality.isFinite ? Int32((min(1, max(0, quality)) * 100).rounded()) : 95
    guard max(bitmap.width, bitmap.height) <= longestSide else {
      throw .encoding(.jpeg, message: "a side of more than \(longestSide) pixels")
    }
    var message = [CChar](repeating: 0, count: Int(JMSG_LENGTH_MAX))
    var count = 0
    let encoded = bitmap.withUnsafeBytes { pixels in
      vitrine_jpeg_encode(
        pixels.bindMemory(to: UInt8.self).baseAddress, Int32(bitmap.width), Int32(bitmap.height),
        bitmap.format == .bgra, percent, &count, &message)
    }
    guard let encoded else {
      let text = message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      throw .encoding(.jpeg, message: String(decoding: text, as: UTF8.self))
    }
    defer { free(encoded) }
    return Array(UnsafeBufferPointer(start: encoded, count: count))
  }
}
