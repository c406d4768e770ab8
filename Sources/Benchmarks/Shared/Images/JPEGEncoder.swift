import CCodecs
import Glibc

/// Encodes JPEGs as cameras and web sites do: with 4:2:0 chroma subsampling, and one scan unless the image is
/// progressive.
enum JPEGEncoder {
  /// The part of the image's pixels for which there are samples of chroma.
  enum Sampling {
    /// 4:2:0: half of the columns and of the rows.
    case quarter
    /// 4:2:2: half of the columns.
    case half
  }

  /// Returns an encoded image.
  ///
  /// - Parameters:
  ///   - pixels: Red, green and blue of each pixel, row by row.
  ///   - usesStandardTables: True for the Huffman tables of the standard, as in most cameras, instead of tables for the
  ///     image.
  static func bytes(
    _ pixels: [UInt8], width: Int, height: Int, quality: Int32, isProgressive: Bool = false,
    sampling: Sampling = .quarter, usesStandardTables: Bool = false
  ) -> [UInt8] {
    let info = UnsafeMutablePointer<jpeg_compress_struct>.allocate(capacity: 1)
    let errors = UnsafeMutablePointer<jpeg_error_mgr>.allocate(capacity: 1)
    defer {
      info.deallocate()
      errors.deallocate()
    }
    info.initialize(to: jpeg_compress_struct())
    info.pointee.err = jpeg_std_error(errors)
    jpeg_CreateCompress(info, JPEG_LIB_VERSION, MemoryLayout<jpeg_compress_struct>.size)
    defer { jpeg_destroy_compress(info) }
    var buffer: UnsafeMutablePointer<UInt8>?
    var count: UInt = 0
    jpeg_mem_dest(info, &buffer, &count)
    defer { free(buffer) }
    info.pointee.image_width = UInt32(width)
    info.pointee.image_height = UInt32(height)
    info.pointee.input_components = 3
    info.pointee.in_color_space = JCS_RGB
    jpeg_set_defaults(info)
    jpeg_set_quality(info, quality, 1)
    info.pointee.optimize_coding = usesStandardTables ? 0 : 1
    if sampling == .half { info.pointee.comp_info[0].v_samp_factor = 1 }
    if isProgressive { jpeg_simple_progression(info) }
    jpeg_start_compress(info, 1)
    pixels.withUnsafeBufferPointer { pixels in
      for y in 0..<height {
        var row = UnsafeMutablePointer(mutating: pixels.baseAddress.map { $0 + y * width * 3 })
        _ = jpeg_write_scanlines(info, &row, 1)
      }
    }
    jpeg_finish_compress(info)
    return Array(UnsafeBufferPointer(start: buffer, count: Int(count)))
  }

  /// Returns a part of an image of `ImageMaker`, encoded with quality 85.
  static func bytes(
    ofPart pixels: [UInt8], x: Int, y: Int, width: Int, height: Int, isProgressive: Bool = false
  ) -> [UInt8] {
    let rows = (y..<y + height).map { row in
      let start = (row * ImageMaker.width + x) * 3
      return pixels[start..<start + width * 3]
    }
    return bytes(
      Array(rows.joined()), width: width, height: height, quality: 85, isProgressive: isProgressive)
  }
}
