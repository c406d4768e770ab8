import CCodecs
import VitrineGraphics
import VitrineLoading

/// One reader of libpng over bytes that outlive it; every kind of PNG comes out as four bytes a pixel.
final class PNGReader {
  private let handle: UnsafeMutablePointer<vitrine_png>
  private let bytesPerRow: Int

  /// Reads the header, which must say the same width as the one that was judged.
  init(
    _ bytes: UnsafeBufferPointer<UInt8>, width: Int, format: PixelFormat
  ) throws(ImageError) {
    guard let handle = vitrine_png_create() else { throw .decoding(.png, message: "out of memory") }
    self.handle = handle
    bytesPerRow = width * PixelFormat.bytesPerPixel
    guard vitrine_png_open(handle, bytes.baseAddress, bytes.count, format == .bgra) else { throw failure }
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
