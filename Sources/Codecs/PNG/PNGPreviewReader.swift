import CCodecs
import VitrineGraphics
import VitrineLoading

/// A wrapper of libpng's progressive reader: takes bytes as they arrive, and returns rows.
final class PNGPreviewReader {
  private let handle: UnsafeMutablePointer<vitrine_png_in_part>
  private let plan: DecodePlan
  private let hasAlpha: Bool
  /// The received rows of an image that is not interlaced, scaled to the result.
  private(set) var image: GrowingImage?
  /// The pixels of an interlaced image; `nil` before the first pass.
  private var memory: PixelBuffer?
  private var cancellation = DecodeCancellation.never

  init(_ plan: DecodePlan, hasAlpha: Bool) throws(ImageError) {
    let bytesPerRow = plan.stored.width * PixelFormat.bytesPerPixel
    let isBlueFirst = plan.options.pixelFormat == .bgra
    let handle = vitrine_png_open_in_part(
      bytesPerRow, UInt32(plan.stored.height), isBlueFirst,
      { reader in
        guard let reader else { return nil }
        return Unmanaged<PNGPreviewReader>.fromOpaque(reader).takeUnretainedValue().makePixels()
      },
      { reader in
        guard let reader else { return false }
        return Unmanaged<PNGPreviewReader>.fromOpaque(reader).takeUnretainedValue().cancellation.isCancelled
      })
    guard let handle else { throw .decoding(.png, message: "out of memory") }
    self.handle = handle
    self.plan = plan
    self.hasAlpha = hasAlpha
  }

  deinit { vitrine_png_close_in_part(handle) }

  /// Decodes the next bytes of the file.
  func feed(_ bytes: ArraySlice<UInt8>, cancellation: DecodeCancellation) throws(ImageError) {
    self.cancellation = cancellation
    let isDecoded = bytes.withUnsafeBufferPointer { bytes in
      vitrine_png_feed(
        handle, bytes.baseAddress, bytes.count,
        { reader, row in
          guard let reader, let row else { return }
          Unmanaged<PNGPreviewReader>.fromOpaque(reader).takeUnretainedValue().push(row)
        }, Unmanaged.passUnretained(self).toOpaque())
    }
    guard isDecoded else {
      if handle.pointee.was_cancelled { throw .cancelled }
      throw .decoding(.png, message: String(cString: vitrine_png_message(&handle.pointee.png)))
    }
  }

  private func makePixels() -> UnsafeMutablePointer<UInt8>? {
    let buffer = PixelBuffer(byteCount: plan.stored.width * plan.stored.height * PixelFormat.bytesPerPixel)
    memory = buffer
    return buffer.bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
  }

  /// Adds a row to the image, which is allocated with the first row, so that a header alone takes no memory.
  private func push(_ row: UnsafePointer<UInt8>) {
    let image = image ?? GrowingImage(plan, source: Canvas.Source(plan.stored, hasAlpha: hasAlpha))
    self.image = image
    image.push(row)
  }

  /// The number of received rows, counted in each pass.
  var rows: Int { handle.pointee.rows }
  /// The pass of the newest row, from 0.
  var pass: Int { Int(handle.pointee.pass) }
  var isComplete: Bool { handle.pointee.is_complete }
  /// The number of bytes of pixels in memory.
  var retainedBytes: Int {
    let pixelBytes = pixels == nil ? 0 : plan.stored.width * plan.stored.height * PixelFormat.bytesPerPixel
    return pixelBytes + (image?.byteCount ?? 0)
  }
  /// The pixels of an interlaced image; `nil` before the first row. Changed by `feed`.
  var pixels: UnsafeRawPointer? { handle.pointee.pixels.map { UnsafeRawPointer($0) } }
}
