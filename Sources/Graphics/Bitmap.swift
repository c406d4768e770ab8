import Glibc

/// Pixels in memory: four bytes per pixel, straight alpha, rows from top to bottom without padding.
///
/// Copies share the storage, so copying costs a retain. The pixels are written once, by the initializer, and never
/// change afterwards, so a bitmap can be used from any thread.
///
/// ```swift
/// let red = Bitmap(width: 2, height: 1, format: .rgba, isOpaque: true) { bytes, bytesPerRow in
///   for pixel in 0..<2 { bytes.storeBytes(of: 0xFF00_00FF, toByteOffset: pixel * 4, as: UInt32.self) }
/// }
/// ```
public struct Bitmap: Sendable {
  /// The width in pixels, at least 1.
  public let width: Int
  /// The height in pixels, at least 1.
  public let height: Int
  /// The order of a pixel's bytes.
  public let format: PixelFormat
  /// True if every pixel is opaque: all alpha bytes are 255, and a renderer need not blend.
  public let isOpaque: Bool

  private let storage: PixelBuffer

  /// The distance from one row to the next in bytes.
  public var bytesPerRow: Int { width * PixelFormat.bytesPerPixel }
  /// The size of the pixels in bytes.
  public var byteCount: Int { bytesPerRow * height }

  /// Allocates zeroed (transparent) pixels and calls `fill` to write them.
  ///
  /// - Parameters:
  ///   - width: The width in pixels, at least 1.
  ///   - height: The height in pixels, at least 1.
  ///   - format: The byte order that `fill` writes.
  ///   - isOpaque: True if `fill` gives every pixel the alpha 255. Not checked.
  ///   - fill: Receives all bytes and the distance from one row to the next. Errors are passed on to the caller.
  /// - Precondition: `width` and `height` are positive, and the number of bytes fits in an `Int`. Decoders check their
  ///   limits before they create a bitmap.
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

  /// Creates a bitmap of pixels that were written to a buffer before, such as pixels from disk.
  ///
  /// - Precondition: `width` and `height` are positive, and the buffer has four bytes for each pixel.
  package init(width: Int, height: Int, format: PixelFormat, isOpaque: Bool, filled buffer: PixelBuffer) {
    precondition(width > 0 && height > 0, "a bitmap has at least one pixel")
    precondition(buffer.bytes.count == width * height * PixelFormat.bytesPerPixel, "all pixels")
    self.width = width
    self.height = height
    self.format = format
    self.isOpaque = isOpaque
    storage = buffer
  }

  private init(copying other: Bitmap, isOpaque: Bool) {
    width = other.width
    height = other.height
    format = other.format
    self.isOpaque = isOpaque
    storage = other.storage
  }

  /// Returns a bitmap that shares the pixels and has another value for `isOpaque`. The value is not checked.
  package func assumingOpaque(_ isOpaque: Bool) -> Bitmap { Bitmap(copying: self, isOpaque: isOpaque) }

  /// Returns true if both bitmaps have the same size and the same pixels. O(1) for bitmaps that share pixels.
  package func hasPixels(of other: Bitmap) -> Bool {
    guard width == other.width, height == other.height, format == other.format else { return false }
    if storage === other.storage { return true }
    return withUnsafeBytes { pixels in
      other.withUnsafeBytes { others in
        // Both have as many bytes; without an address, they have none.
        guard let first = pixels.baseAddress, let second = others.baseAddress else { return true }
        return memcmp(first, second, pixels.count) == 0
      }
    }
  }

  /// Calls `body` with the pixels, for transforms and encoders of an application. The pointer is valid only during the
  /// call.
  public func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(storage.bytes))
  }

  /// Returns the color of a pixel. O(1), but too slow for loops over many pixels.
  ///
  /// - Precondition: The position lies inside the bitmap.
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
