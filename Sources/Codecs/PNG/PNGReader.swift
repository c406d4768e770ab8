import CCodecs
import VitrineGraphics
import VitrineLoading

/// A libpng reader. Converts every kind of PNG to three or four bytes per pixel. The bytes must outlive the reader.
final class PNGReader {
  private let handle: UnsafeMutablePointer<vitrine_png>
  private let bytesPerRow: Int

  /// Reads the header. Throws if its width is not `width`, the value for which memory was reserved.
  ///
  /// - Parameters:
  ///   - bytesPerPixel: Four, or three for an image that is known to be opaque.
  ///   - ignoresChecksums: True if the checksums of the chunks have no meaning.
  init(
    _ bytes: UnsafeBufferPointer<UInt8>, width: Int, format: PixelFormat,
    bytesPerPixel: Int = PixelFormat.bytesPerPixel, ignoresChecksums: Bool = false
  ) throws(ImageError) {
    guard let handle = vitrine_png_create() else { throw .decoding(.png, message: "out of memory") }
    self.handle = handle
    bytesPerRow = width * bytesPerPixel
    handle.pointee.leaves_out_alpha = bytesPerPixel < PixelFormat.bytesPerPixel
    guard vitrine_png_open(handle, bytes.baseAddress, bytes.count, format == .bgra, ignoresChecksums)
    else { throw failure }
    guard vitrine_png_bytes_per_row(handle) == bytesPerRow else {
      throw .decoding(.png, message: "rows of another width")
    }
  }

  deinit { vitrine_png_close(handle) }

  /// Writes the next `count` rows to `rows`, without gaps.
  func read(_ rows: UnsafeMutableRawPointer, count: Int) throws(ImageError) {
    let target = rows.assumingMemoryBound(to: UInt8.self)
    guard vitrine_png_read_rows(handle, target, bytesPerRow, Int32(count)) else { throw failure }
  }

  private var failure: ImageError {
    .decoding(.png, message: String(cString: vitrine_png_message(handle)))
  }
}
