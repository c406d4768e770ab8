import CCodecs
import VitrineGraphics
import VitrineLoading

/// A JPEG at an eighth of its size, made from the DC coefficients alone, which are the means of blocks of 8 x 8 samples.
final class JPEGDCImage {
  private let image: UnsafeMutablePointer<vitrine_dc_image>

  /// Reads the coefficients of a JPEG whose header has been read. Returns `nil` for an image that is left to libjpeg:
  /// unusual or damaged, or with too few chroma samples for the plan. Throws `.cancelled`.
  init?(_ reader: JPEGReader, for plan: DecodePlan) throws(ImageError) {
    guard JPEGDecoder.eighths(from: plan.stored, to: plan.scaled) == 1,
      let image = vitrine_dc_open(reader.handle)
    else { return nil }
    self.image = image
    guard hasSamples(for: plan.scaled) else { return nil }
    switch vitrine_dc_read(image, reader.handle) {
    case vitrine_dc_complete: break
    case vitrine_dc_cancelled: throw .cancelled
    default: return nil
    }
  }

  deinit { vitrine_dc_close(image) }

  /// True if chroma has at least twice the requested pixels per side, as luma has at this scale.
  private func hasSamples(for size: PixelSize) -> Bool {
    let planes = image.pointee.planes
    guard image.pointee.plane_count == 3 else { return true }
    return planes.1.width >= 2 * size.width && planes.1.height >= 2 * size.height
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
