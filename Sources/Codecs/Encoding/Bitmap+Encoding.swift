import Glibc
public import VitrineGraphics
public import VitrineLoading

extension Bitmap {
  /// Returns the bitmap as a PNG file. Lossless; an opaque bitmap is encoded without an alpha channel. Throws
  /// `.encoding`.
  public func pngData() throws(ImageError) -> [UInt8] { try PNGEncoder.encode(Image(self)) }

  /// Returns the bitmap as a JPEG file, without the alpha of its pixels. Throws `.encoding`.
  ///
  /// - Parameter quality: The quality from 0 to 1; 0.95 by default.
  public func jpegData(quality: Double = 0.95) throws(ImageError) -> [UInt8] {
    try JPEGEncoder.encode(self, quality: quality)
  }

  /// Writes the bitmap to a file, and replaces an existing file.
  ///
  /// The format follows from the extension of the name: JPEG for `.jpg` and `.jpeg`, WebP for `.webp`, otherwise PNG.
  /// Blocks the calling thread. Throws `.encoding` if the bitmap cannot be encoded or the file cannot be written.
  public func write(to path: String) throws(ImageError) {
    let format = Self.format(of: path)
    let bytes =
      switch format {
      case .jpeg: try jpegData()
      case .webp: try WebPEncoder.encode(self)
      default: try pngData()
      }
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard file >= 0 else { throw Self.unwritten(path, format) }
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let error = Self.unwritten(path, format)
        close(file)
        throw error
      }
      written += count
    }
    guard close(file) == 0 else { throw Self.unwritten(path, format) }
  }

  private static func format(of path: String) -> ImageFormat {
    let ending = path.lowercased()
    if ending.hasSuffix(".jpg") || ending.hasSuffix(".jpeg") { return .jpeg }
    return ending.hasSuffix(".webp") ? .webp : .png
  }

  private static func unwritten(_ path: String, _ format: ImageFormat) -> ImageError {
    .encoding(format, message: "\(path): \(String(cString: strerror(errno)))")
  }
}
