/// The order of the four bytes of a pixel in memory.
///
/// The renderer determines which order uploads fastest. `Application` sets this order before the first load, and
/// decoders write it directly. Alpha is straight, because SDL's software renderer refuses premultiplied blend modes.
public enum PixelFormat: Hashable, Sendable {
  /// Blue, green, red, alpha: SDL's `ARGB8888`/`RGB888` on little-endian machines.
  case bgra
  /// Red, green, blue, alpha: SDL's `ABGR8888` on little-endian machines.
  case rgba

  /// The number of bytes per pixel, for code that reads or writes pixels, such as a decoder.
  public static let bytesPerPixel = 4
}
