import CCodecs
import JPEGOracle
import VitrineGraphics
import VitrineLoading

@testable import VitrineCodecs

/// Compares the lowest coefficients of a JPEG with those that libjpeg reads.
enum JPEGCoefficients {
  static func check(_ bytes: [UInt8]) {
    checkHeader(bytes)
    guard let header = JPEGHeader(bytes) else { return }
    // The second target needs quarters of blocks.
    for target in [1, max(1, header.size.width / 8)] { check(bytes, header, target: target) }
  }

  /// libjpeg accepts each header that is read without it, and reads the same.
  private static func checkHeader(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { buffer in
      var header = vitrine_dc_header()
      guard vitrine_dc_read_header(buffer.baseAddress, buffer.count, &header) else { return }
      guard let reader = try? JPEGReader(buffer, limits: DecodeLimits()) else {
        preconditionFailure("libjpeg refuses the header")
      }
      let isRight = withExtendedLifetime(reader) { isEqual(header, reader.handle.pointee.info, buffer.count) }
      precondition(isRight, "the header of libjpeg")
    }
  }

  private static func isEqual(
    _ header: vitrine_dc_header, _ info: jpeg_decompress_struct, _ byteCount: Int
  ) -> Bool {
    info.image_width == header.width && info.image_height == header.height
      && info.num_components == header.component_count && info.comps_in_scan == header.component_count
      && info.jpeg_color_space == (header.component_count == 1 ? JCS_GRAYSCALE : JCS_YCbCr)
      && info.restart_interval == header.restart_interval
      && (info.progressive_mode != 0) == header.is_progressive
      && byteCount - info.src.pointee.bytes_in_buffer == header.codes_offset
  }

  private static func check(_ bytes: [UInt8], _ header: JPEGHeader, target: Int) {
    bytes.withUnsafeBufferPointer { buffer in
      let options = DecodeOptions(target: DecodeTarget(width: target, height: target, mode: .fit))
      guard header.size.width * header.size.height <= 1 << 20,
        let plan = try? DecodePlan(format: .jpeg, stored: header.size, orientation: .up, options: options),
        let image = (try? JPEGMeans(header, of: bytes, for: plan)) ?? nil
      else { return }
      let reader = try? JPEGReader(buffer, limits: DecodeLimits())
      precondition(reader?.matches(header) == true, "the header of libjpeg")
      let tolerance = image.meansPerSide == 1 ? 0 : 1
      for index in 0..<image.planeCount {
        let plane = image.plane(index)
        var samples = [UInt8](repeating: 0, count: plane.samples.count)
        // libjpeg also reads what follows the scan, which may be damaged.
        let isRead = jpeg_oracle_read_means(
          buffer.baseAddress, buffer.count, Int32(index), Int32(image.meansPerSide), &samples, plane.width,
          plane.width, plane.height)
        let isEqual = zip(samples, plane.samples).allSatisfy { abs(Int($0) - Int($1)) <= tolerance }
        precondition(!isRead || isEqual, "the coefficients of libjpeg")
      }
    }
  }
}
