import CCodecs
import Glibc

/// The reference with the minimum of work: libjpeg-turbo alone decodes the same bytes from memory at reduced scale on
/// all cores.
enum TurboReference {
  /// Returns the elapsed time and the processor time in seconds for decoding each image to at least a size.
  static func measure(_ images: [[UInt8]], width: Int, height: Int) -> (seconds: Double, cpu: Double) {
    let start = SystemCounters.time
    let cpu = SystemCounters.processCPU
    onAllCores(count: images.count) { index in _ = decode(images[index], covering: (width, height)) }
    return (SystemCounters.time - start, SystemCounters.processCPU - cpu)
  }

  /// Decodes to BGRA pixels at the smallest scale, in eighths, that has at least the pixels of `size` on each side; to
  /// the full size if `size` is `nil`. Returns `nil` if decoding fails.
  static func decode(_ bytes: [UInt8], covering size: (width: Int, height: Int)? = nil) -> Pixels? {
    bytes.withUnsafeBufferPointer { bytes in
      guard let jpeg = vitrine_jpeg_create(100) else { return nil }
      defer { vitrine_jpeg_close(jpeg) }
      guard vitrine_jpeg_open(jpeg, bytes.baseAddress, bytes.count) else { return nil }
      let source = (width: Int(jpeg.pointee.info.image_width), height: Int(jpeg.pointee.info.image_height))
      let target = size ?? source
      let eighths = (1...8).first {
        source.width * $0 >= target.width * 8 && source.height * $0 >= target.height * 8
      }
      guard vitrine_jpeg_start(jpeg, UInt32(eighths ?? 8), JCS_EXT_BGRA, 0) else { return nil }
      let width = Int(jpeg.pointee.info.output_width)
      let height = Int(jpeg.pointee.info.output_height)
      let pixels = [UInt8](unsafeUninitializedCapacity: width * height * 4) { buffer, count in
        count =
          vitrine_jpeg_read_rows(jpeg, buffer.baseAddress, width * 4, Int32(height)) == height
          ? buffer.count : 0
      }
      return pixels.isEmpty ? nil : Pixels(width: width, height: height, bytes: pixels)
    }
  }
}

/// Pixels of four bytes, blue first, without padding between rows.
struct Pixels {
  let width, height: Int
  let bytes: [UInt8]
}
