import CCodecs

/// Encodes PNG with libpng's default filters and compression.
enum PNGWriter {
  private final class Output { var bytes: [UInt8] = [] }

  /// Returns an encoded image.
  ///
  /// - Parameter samples: The samples of each pixel, row by row, with the higher byte first if there are two.
  static func bytes(
    _ samples: [UInt8], width: Int, height: Int, channels: Int, depth: Int, isInterlaced: Bool
  ) -> [UInt8] {
    var png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nil, nil, nil)
    var info = png_create_info_struct(png)
    defer { png_destroy_write_struct(&png, &info) }
    let output = Output()
    let write: png_rw_ptr = { png, bytes, count in
      guard let context = png_get_io_ptr(png) else { return }
      Unmanaged<Output>.fromOpaque(context).takeUnretainedValue().bytes += UnsafeBufferPointer(
        start: bytes, count: count)
    }
    png_set_write_fn(png, Unmanaged.passUnretained(output).toOpaque(), write, nil)
    png_set_IHDR(
      png, info, UInt32(width), UInt32(height), Int32(depth), channels == 4 ? 6 : 2, isInterlaced ? 1 : 0, 0,
      0)
    png_write_info(png, info)
    let bytesPerRow = width * channels * depth / 8
    var copy = samples
    copy.withUnsafeMutableBufferPointer { samples in
      var rows = (0..<height).map { y in samples.baseAddress.map { $0 + y * bytesPerRow } }
      png_write_image(png, &rows)
    }
    png_write_end(png, info)
    return output.bytes
  }
}

/// Encodes WebP with libwebp's default settings.
enum WebPWriter {
  static func bytes(_ pixels: [UInt8], width: Int, height: Int, isLossless: Bool) -> [UInt8] {
    var encoded: UnsafeMutablePointer<UInt8>?
    let (columns, rows, stride) = (Int32(width), Int32(height), Int32(width * 3))
    let count =
      isLossless
      ? WebPEncodeLosslessRGB(pixels, columns, rows, stride, &encoded)
      : WebPEncodeRGB(pixels, columns, rows, stride, 80, &encoded)
    defer { WebPFree(encoded) }
    return Array(UnsafeBufferPointer(start: encoded, count: count))
  }
}
