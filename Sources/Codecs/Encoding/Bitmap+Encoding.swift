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

  /// Writes the bitmap to a file, and replaces an existing file once the new file is complete. If the new file cannot be
  /// written, for example on a full disk, the existing file stays as it was.
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
    do throws(FileReplacement.Failure) {
      try FileReplacement().write(bytes, to: path)
    } catch {
      throw .encoding(format, message: "\(path): \(String(cString: strerror(error.code)))")
    }
  }

  private static func format(of path: String) -> ImageFormat {
    let ending = path.lowercased()
    if ending.hasSuffix(".jpg") || ending.hasSuffix(".jpeg") { return .jpeg }
    return ending.hasSuffix(".webp") ? .webp : .png
  }
}
