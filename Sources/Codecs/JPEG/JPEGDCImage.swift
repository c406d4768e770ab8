import CCodecs
import VitrineGraphics
import VitrineLoading

/// A JPEG at an eighth of its size, made from the DC coefficients alone, which are the means of blocks of 8 x 8 samples.
final class JPEGDCImage {
  private let image: UnsafeMutablePointer<vitrine_dc_image>

  /// Reads the coefficients of a JPEG whose header has been read. Returns `nil` for an image that is left to libjpeg:
  /// not suited to the plan, unusual or damaged. Throws `.cancelled`.
  init?(_ reader: JPEGReader, _ header: JPEGHeader, for plan: DecodePlan) throws(ImageError) {
    guard Self.suits(plan, header), let image = vitrine_dc_open(reader.handle) else { return nil }
    self.image = image
    switch vitrine_dc_read(image, reader.handle) {
    case vitrine_dc_complete: break
    case vitrine_dc_cancelled: throw .cancelled
    default: return nil
    }
  }

  deinit { vitrine_dc_close(image) }

  /// Returns true if a plan needs an eighth of the size or less, all components come in one scan, and each component has
  /// at least twice the requested pixels per side.
  static func suits(_ plan: DecodePlan, _ header: JPEGHeader) -> Bool {
    guard header.isSequential, !header.hasMultipleScans,
      JPEGDecoder.eighths(from: plan.stored, to: plan.scaled) == 1
    else {
      return false
    }
    // A single component is not subsampled, with any factors.
    guard header.components.count > 1 else { return true }
    let horizontal = header.components.map(\.horizontal).max() ?? 1
    let vertical = header.components.map(\.vertical).max() ?? 1
    return header.components.allSatisfy { component in
      plan.stored.width * component.horizontal >= plan.scaled.width * 16 * horizontal
        && plan.stored.height * component.vertical >= plan.scaled.height * 16 * vertical
    }
  }

  /// The size in pixels.
  private(set) lazy var size = PixelSize(
    width: image.pointee.planes.0.width, height: image.pointee.planes.0.height)

  /// Writes rows to `pixels`, without gaps.
  func write(_ rows: Range<Int>, to pixels: UnsafeMutableRawPointer, as format: PixelFormat) {
    let bytesPerRow = size.width * PixelFormat.bytesPerPixel
    let target = pixels.assumingMemoryBound(to: UInt8.self)
    for row in rows {
      vitrine_dc_write_row(image, row, target + (row - rows.lowerBound) * bytesPerRow, format == .bgra)
    }
  }

  /// The number of color components.
  var planeCount: Int { Int(image.pointee.plane_count) }

  /// The means of the blocks of a component, row by row.
  func plane(_ index: Int) -> (width: Int, height: Int, samples: [UInt8]) {
    let planes = image.pointee.planes
    let plane = [planes.0, planes.1, planes.2][index]
    let samples = (0..<plane.height).flatMap { y in
      UnsafeBufferPointer(start: plane.samples + y * plane.stride, count: plane.width)
    }
    return (plane.width, plane.height, samples)
  }

  /// The bytes of the planes, the tables and two rows of chroma.
  static func bytes(of header: JPEGHeader) -> Int {
    let (columns, rows) = ((header.size.width + 15) / 16 * 2, (header.size.height + 15) / 16 * 2)
    return ByteCount.sum(
      ByteCount.product(columns, rows, 3), columns * 24 + 32, MemoryLayout<vitrine_dc_image>.size)
  }
}
