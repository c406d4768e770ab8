import VitrineGraphics
import VitrineLoading

/// The thumbnail in the Exif of a camera's JPEG (Exif 2.32, section 4.5), as a preview of the image. The bytes are
/// untrusted.
struct JPEGThumbnail {
  /// The maximum length of a side. A thumbnail has to fit into a segment of 64 KiB.
  private static let longestSide = 640
  /// The fraction by which the aspect ratio may differ from the image's. A thumbnail with black bars differs by more.
  private static let aspectTolerance = 0.02
  /// The maximum number of bytes for decoding a thumbnail, in addition to the result: its bytes, some rows, and libjpeg's
  /// state.
  static let decodingBytes = 256 << 10

  private let bytes: [UInt8]
  private let header: JPEGHeader

  /// Finds the thumbnail of an image; `nil` unless it shows the whole image with at least the pixels that the plan
  /// needs.
  init?(_ segments: JPEGSegments, _ image: JPEGHeader, for plan: DecodePlan) {
    guard plan.isScaled, let found = segments.exif.flatMap({ Self.bytes(in: $0, of: plan.stored) }),
      found.starts(with: [0xFF, 0xD8, 0xFF])
    else { return nil }
    bytes = Array(found)
    guard let header = JPEGHeader(bytes), header.isSequential, !header.hasMultipleScans,
      header.components.count == image.components.count
    else { return nil }
    self.header = header
    let (size, stored) = (header.size, plan.stored)
    guard max(size.width, size.height) <= Self.longestSide, size.width <= stored.width,
      size.height <= stored.height, size.width >= plan.scaled.width, size.height >= plan.scaled.height
    else { return nil }
    let (wide, high) = (Double(size.width * stored.height), Double(size.height * stored.width))
    guard abs(wide - high) <= Self.aspectTolerance * high else { return nil }
  }

  /// Returns the bytes of the thumbnail in a TIFF stream: tags 0x0201 and 0x0202 of the second directory. Returns `nil`
  /// if the image was changed since the thumbnail was made.
  private static func bytes(in exif: ArraySlice<UInt8>, of size: PixelSize) -> ArraySlice<UInt8>? {
    guard let stream = TIFFStream(exif), let first = stream.directory(at: stream.firstDirectory),
      let second = stream.directory(at: first.next), !isChanged(first, in: stream, size: size),
      let start = second.number(0x0201), let count = second.number(0x0202)
    else { return nil }
    return stream.slice(at: start, count: count)
  }

  /// Returns true if Exif states another size than that of the image, or a time of change that is not the time at which
  /// the image was taken. Programs that edit images often leave the thumbnail as it was.
  private static func isChanged(_ first: TIFFStream.Directory, in stream: TIFFStream, size: PixelSize) -> Bool
  {
    guard let camera = stream.directory(at: first.number(0x8769)) else { return false }
    if let width = camera.number(0xA002), width != size.width { return true }
    if let height = camera.number(0xA003), height != size.height { return true }
    let timeLength = 19
    guard let taken = camera.text(0x9003, limit: timeLength),
      let changed = first.text(0x0132, limit: timeLength)
    else { return false }
    return taken != changed
  }

  /// Decodes the thumbnail at the size of the image's result. Returns `nil` for a damaged thumbnail. Throws
  /// `.cancelled`.
  func bitmap(for plan: DecodePlan) throws(ImageError) -> Bitmap? {
    do throws(ImageError) {
      return try decoded(for: plan)
    } catch .cancelled {
      throw .cancelled
    } catch {
      return nil
    }
  }

  private func decoded(for plan: DecodePlan) throws(ImageError) -> Bitmap? {
    // The Exif of the image alone has the orientation; that of the thumbnail is ignored.
    let own = try DecodePlan(
      format: .jpeg, stored: header.size, orientation: plan.orientation, options: plan.options)
    try own.checkPixels(holdsSource: true)
    return try bytes.withUnsafeBufferPointer { (bytes) throws(ImageError) in
      let reader = try JPEGReader(bytes, limits: plan.options.limits)
      reader.cancellation = plan.cancellation
      guard reader.matches(header), header.isPlausible(byteCount: bytes.count) else { return nil }
      let source = try reader.start(for: own, header: header)
      // The sizes of the two plans differ by rounding.
      guard source.size.width >= plan.scaled.width, source.size.height >= plan.scaled.height else {
        return nil
      }
      return try plan.bitmap(hasAlpha: false) { (canvas) throws(ImageError) in
        try canvas.draw(source) { (rows, count) throws(ImageError) in
          guard try reader.read(rows, count: count) == count else {
            throw .decoding(.jpeg, message: "the pixels of the thumbnail end early")
          }
        }
      }
    }
  }
}
