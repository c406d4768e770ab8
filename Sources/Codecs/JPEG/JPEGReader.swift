import CCodecs
import VitrineGraphics
import VitrineLoading

/// One decompressor of libjpeg-turbo over bytes that outlive it.
final class JPEGReader {
  private let handle: UnsafeMutablePointer<vitrine_jpeg>

  /// Reads the header.
  init(_ bytes: UnsafeBufferPointer<UInt8>) throws(ImageError) {
    guard let handle = vitrine_jpeg_create(Self.scanLimit) else {
      throw .decoding(.jpeg, message: "out of memory")
    }
    self.handle = handle
    guard vitrine_jpeg_open(handle, bytes.baseAddress, bytes.count) else { throw failure }
  }

  deinit { vitrine_jpeg_close(handle) }

  /// Progressive encoders make about ten; a file of thousands costs a pass over the picture each.
  /// The same bound as in libjpeg-turbo's fuzz targets.
  private static let scanLimit: Int32 = 100

  /// As encoded.
  var size: PixelSize {
    PixelSize(width: Int(handle.pointee.info.image_width), height: Int(handle.pointee.info.image_height))
  }

  /// Whether every pixel is in memory while decoding.
  var holdsSource: Bool { handle.pointee.has_multiple_scans }

  /// Whether codes have no length in whole bits, so that their number says nothing about that of the pixels.
  var isArithmetic: Bool { handle.pointee.info.arith_code != 0 }

  /// Whether the bytes can hold all pixels: in a single scan each block of 64 takes a Huffman code for its
  /// mean and one for its end, a bit each at least. A few bytes that claim a huge picture are told so
  /// without memory for it.
  func isPlausible(byteCount: Int) -> Bool {
    if holdsSource || isArithmetic { return true }
    let blocks = ((size.width + 7) / 8) * ((size.height + 7) / 8)
    return blocks / 4 <= byteCount
  }

  /// Whether rows come as cyan, magenta, yellow and black: libjpeg does not turn these into RGB.
  var isCMYK: Bool {
    let space = handle.pointee.info.jpeg_color_space
    return space == JCS_CMYK || space == JCS_YCCK
  }

  /// Starts decoding at `eighths`/8 of the size; what size that is.
  func start(eighths: Int, format: PixelFormat) throws(ImageError) -> PixelSize {
    let order = isCMYK ? JCS_CMYK : format == .bgra ? JCS_EXT_BGRA : JCS_EXT_RGBA
    guard vitrine_jpeg_start(handle, UInt32(eighths), order) else { throw failure }
    return PixelSize(
      width: Int(handle.pointee.info.output_width), height: Int(handle.pointee.info.output_height))
  }

  /// Writes the next `count` rows to `rows`, without gaps.
  func read(_ rows: UnsafeMutableRawPointer, count: Int) throws(ImageError) {
    let bytesPerRow = Int(handle.pointee.info.output_width) * PixelFormat.bytesPerPixel
    let target = rows.assumingMemoryBound(to: UInt8.self)
    guard vitrine_jpeg_read_rows(handle, target, bytesPerRow, Int32(count)) == Int32(count) else {
      throw failure
    }
  }

  private var failure: ImageError {
    .decoding(.jpeg, message: String(cString: vitrine_jpeg_message(handle)))
  }
}
