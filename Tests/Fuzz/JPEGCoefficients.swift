import JPEGOracle
import VitrineGraphics
import VitrineLoading

@testable import VitrineCodecs

/// Compares the DC coefficients of a JPEG with those that libjpeg reads.
enum JPEGCoefficients {
  static func check(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { buffer in
      let options = DecodeOptions(target: DecodeTarget(width: 1, height: 1, mode: .fit))
      guard let header = JPEGHeader(bytes), let reader = try? JPEGReader(buffer, limits: DecodeLimits()),
        reader.size.width * reader.size.height <= 1 << 20,
        let plan = try? DecodePlan(format: .jpeg, stored: reader.size, orientation: .up, options: options),
        let image = (try? JPEGDCImage(reader, header, of: bytes, for: plan)) ?? nil
      else { return }
      for index in 0..<image.planeCount {
        let plane = image.plane(index)
        var samples = [UInt8](repeating: 0, count: plane.samples.count)
        // libjpeg also reads what follows the scan, which may be damaged.
        let isRead = jpeg_oracle_read_means(
          buffer.baseAddress, buffer.count, Int32(index), &samples, plane.width, plane.width, plane.height)
        precondition(!isRead || samples == plane.samples, "the coefficients of libjpeg")
      }
    }
  }
}
