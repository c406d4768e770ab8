import CCodecs
import VitrineGraphics
import VitrineLoading

/// A smaller image of a JPEG, made of means: of the blocks of 8 x 8 samples, which are the DC coefficients, or of their
/// quarters, for which the lowest AC coefficients are decoded too. Most of the scans of a progressive JPEG are not read.
final class JPEGMeans {
  private let image: UnsafeMutablePointer<vitrine_dc_image>
  private let imageSize: PixelSize
  private let cancellation: DecodeCancellation
  /// The number of means on each side of a block.
  let meansPerSide: Int

  /// Reads the coefficients of a JPEG. Returns `nil` for an image that is left to libjpeg: not suited to the plan,
  /// unusual or damaged. Throws `.cancelled`.
  init?(_ header: JPEGHeader, of data: [UInt8], for plan: DecodePlan) throws(ImageError) {
    guard let meansPerSide = Self.meansPerSide(plan, header) else { return nil }
    let bits = header.isProgressive ? JPEGBitScans(data) : nil
    guard bits != nil || !header.isProgressive else { return nil }
    let opened = data.withUnsafeBufferPointer {
      vitrine_dc_open($0.baseAddress, $0.count, Int32(meansPerSide))
    }
    guard let opened else { return nil }
    image = opened
    imageSize = header.size
    self.meansPerSide = meansPerSide
    cancellation = plan.cancellation
    installCancellationCheck()
    let first = data.withUnsafeBufferPointer { vitrine_dc_read_first_scan(image, $0.baseAddress, $0.count) }
    guard try Self.isComplete(first) else { return nil }
    for scan in bits?.scans ?? [] {
      let result = data.withUnsafeBufferPointer { data in
        let codes = UnsafeBufferPointer(rebasing: data[scan.codes])
        return vitrine_dc_read_next_bits(
          image, codes.baseAddress, codes.count, Int32(scan.component ?? -1), UInt32(scan.restartInterval),
          Int32(scan.missingBits))
      }
      guard try Self.isComplete(result) else { return nil }
    }
    guard vitrine_dc_make_samples(image) == vitrine_dc_complete else { return nil }
  }

  private func installCancellationCheck() {
    image.pointee.context = Unmanaged.passUnretained(self).toOpaque()
    image.pointee.is_cancelled = { means in
      guard let means else { return false }
      return Unmanaged<JPEGMeans>.fromOpaque(means).takeUnretainedValue().cancellation.isCancelled
    }
  }

  /// Returns false for an image that is unusual or damaged. Throws `.cancelled`.
  private static func isComplete(_ result: vitrine_dc_result) throws(ImageError) -> Bool {
    guard result != vitrine_dc_cancelled else { throw .cancelled }
    return result == vitrine_dc_complete
  }

  deinit { vitrine_dc_close(image) }

  /// Returns the number of means that a plan needs on each side of a block: 1 for a sixteenth of the size or less, 2 for
  /// an eighth. Returns `nil` if libjpeg must decode: for larger results, for a progressive image above a sixteenth, for
  /// a sequential image with several scans, and if a component has fewer means than the result has pixels.
  static func meansPerSide(_ plan: DecodePlan, _ header: JPEGHeader) -> Int? {
    let count = JPEGDecoder.eighths(from: plan.stored, to: plan.scaled)
    let isSequential = header.isSequential && !header.hasMultipleScans
    guard isSequential ? count <= 2 : header.isProgressive && !header.isArithmetic && count == 1 else {
      return nil
    }
    // A single component is not subsampled, with any factors.
    guard header.components.count > 1 else { return count }
    let horizontal = header.components.map(\.horizontal).max() ?? 1
    let vertical = header.components.map(\.vertical).max() ?? 1
    let hasMeans = header.components.allSatisfy { component in
      plan.stored.width * component.horizontal * count >= plan.scaled.width * 8 * horizontal
        && plan.stored.height * component.vertical * count >= plan.scaled.height * 8 * vertical
    }
    return hasMeans ? count : nil
  }

  /// Draws the image on a canvas with at most as many pixels as each component has means. Throws `.cancelled`.
  func draw(on canvas: Canvas, as format: PixelFormat) throws(ImageError) {
    let scalers = (0..<planeCount).map { scaler(of: $0, to: canvas) }
    let conversion = YCbCrConversion(format)
    let width = canvas.size.width
    let row = PixelBuffer(byteCount: width * PixelFormat.bytesPerPixel, isZeroed: false)
    defer { withExtendedLifetime((row, self)) {} }
    guard let pixels = row.bytes.baseAddress else { return }
    for y in 0..<canvas.size.height {
      if y % Canvas.stripHeight == 0 { try canvas.cancellation.check() }
      let luma = scalers[0].row(y)
      if scalers.count == 3 {
        conversion.write(luma, blue: scalers[1].row(y), red: scalers[2].row(y), to: pixels, count: width)
      } else {
        YCbCrConversion.write(gray: luma, to: pixels, count: width)
      }
      canvas.write(pixels, at: y)
    }
  }

  private func scaler(of index: Int, to canvas: Canvas) -> MeanScaler {
    let (plane, luma) = (storedPlane(index), storedPlane(0))
    // A mean of a subsampled component stands for more columns or rows of the image.
    let extent = (
      Double(imageSize.width * Int(plane.horizontal) * meansPerSide) / Double(8 * luma.horizontal),
      Double(imageSize.height * Int(plane.vertical) * meansPerSide) / Double(8 * luma.vertical)
    )
    return MeanScaler(
      plane.samples, stride: plane.stride, size: PixelSize(width: plane.width, height: plane.height),
      extent: extent, to: canvas)
  }

  private func storedPlane(_ index: Int) -> vitrine_dc_plane {
    precondition(0..<planeCount ~= index)
    let planes = image.pointee.planes
    return index == 0 ? planes.0 : index == 1 ? planes.1 : planes.2
  }

  /// The number of color components.
  var planeCount: Int { Int(image.pointee.plane_count) }

  /// The means of a component, row by row.
  func plane(_ index: Int) -> (width: Int, height: Int, samples: [UInt8]) {
    let plane = storedPlane(index)
    let samples = (0..<plane.height).flatMap { y in
      UnsafeBufferPointer(start: plane.samples + y * plane.stride, count: plane.width)
    }
    return (plane.width, plane.height, samples)
  }

  /// The bytes of the planes, the tables and the scalers of an image.
  static func bytes(of header: JPEGHeader, for plan: DecodePlan, meansPerSide: Int) -> Int {
    let largest = header.components.reduce((horizontal: 1, vertical: 1)) {
      (max($0.horizontal, $1.horizontal), max($0.vertical, $1.vertical))
    }
    // Planes have the blocks of whole MCUs.
    let columns = (header.size.width + 8 * largest.horizontal - 1) / (8 * largest.horizontal)
    let rows = (header.size.height + 8 * largest.vertical - 1) / (8 * largest.vertical)
    // A progressive image has coefficients of two bytes in addition to the means.
    let bytesPerMean = header.isProgressive ? 3 : 1
    let planes = header.components.map { component in
      let width = ByteCount.product(columns, component.horizontal, meansPerSide)
      let height = ByteCount.product(rows, component.vertical, meansPerSide)
      return ByteCount.sum(
        ByteCount.product(width, height, bytesPerMean),
        MeanScaler.bytes(planeWidth: width, planeHeight: height, scaled: plan.scaled))
    }
    return planes.reduce(MemoryLayout<vitrine_dc_image>.size) { ByteCount.sum($0, $1) }
  }
}
