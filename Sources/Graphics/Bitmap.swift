/// Pixels in memory: four bytes each, straight alpha, rows from top to bottom.
///
/// A value that shares its storage: a copy costs a retain. The pixels are written once, while the bitmap is
/// made, and never change afterwards, so a bitmap may cross threads freely.
///
/// ```swift
/// let red = Bitmap(width: 2, height: 1, format: .rgba, isOpaque: true) { bytes, bytesPerRow in
///   for pixel in 0..<2 { bytes.storeBytes(of: 0xFF00_00FF, toByteOffset: pixel * 4, as: UInt32.self) }
/// }
/// ```
public struct Bitmap: Sendable {
  /// Width in pixels, at least 1.
  public let width: Int
  /// Height in pixels, at least 1.
  public let height: Int
  /// The order of a pixel's bytes.
  public let format: PixelFormat
  /// Whether every pixel is opaque; then the alpha bytes are all 255 and a renderer need not blend.
  public let isOpaque: Bool

  private let storage: PixelBuffer

  /// Distance from one row to the next in bytes.
  public var bytesPerRow: Int { width * PixelFormat.bytesPerPixel }
  /// The memory that the pixels take, in bytes.
  public var byteCount: Int { bytesPerRow * height }

  /// Makes a bitmap and lets `fill` write its pixels, all of which are zero (transparent) before.
  ///
  /// - Parameters:
  ///   - width: in pixels, at least 1.
  ///   - height: in pixels, at least 1.
  ///   - format: the byte order that `fill` writes.
  ///   - isOpaque: whether every pixel that `fill` writes has the alpha 255; not checked.
  ///   - fill: gets the whole memory and the distance between rows; what it throws is passed on.
  /// - Precondition: `width` and `height` are positive and the memory's size is a valid `Int`; decoders check
  ///   their limits before they come here.
  public init<Failure: Error>(
    width: Int, height: Int, format: PixelFormat, isOpaque: Bool,
    fill: (_ pixels: UnsafeMutableRawBufferPointer, _ bytesPerRow: Int) throws(Failure) -> Void
  ) throws(Failure) {
    precondition(width > 0 && height > 0, "a bitmap has at least one pixel")
    let storage = PixelBuffer(byteCount: width * height * PixelFormat.bytesPerPixel)
    try fill(storage.bytes, width * PixelFormat.bytesPerPixel)
    self.width = width
    self.height = height
    self.format = format
    self.isOpaque = isOpaque
    self.storage = storage
  }

  private init(copying other: Bitmap, isOpaque: Bool) {
    width = other.width
    height = other.height
    format = other.format
    self.isOpaque = isOpaque
    storage = other.storage
  }

  /// The same pixels, known to be opaque (or not). The caller vouches for it.
  public func assumingOpaque(_ isOpaque: Bool) -> Bitmap { Bitmap(copying: self, isOpaque: isOpaque) }

  /// Calls `body` with the pixels, which must not be kept beyond the call.
  public func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(storage.bytes))
  }

  /// The pixel at a place, as a colour. For tests and odd jobs: O(1), but far from fast.
  public func color(x: Int, y: Int) -> Color {
    precondition(x >= 0 && x < width && y >= 0 && y < height, "inside the bitmap")
    return withUnsafeBytes { bytes in
      let pixel = bytes[(y * bytesPerRow + x * 4)..<(y * bytesPerRow + x * 4 + 4)]
      let first = pixel[pixel.startIndex]
      let third = pixel[pixel.startIndex + 2]
      return Color(
        red: format == .rgba ? first : third, green: pixel[pixel.startIndex + 1],
        blue: format == .rgba ? third : first, alpha: pixel[pixel.startIndex + 3])
    }
  }
}
