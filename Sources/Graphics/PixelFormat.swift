/// The order of the four bytes of a pixel in memory.
///
/// The renderer knows which order uploads fastest, so `Application` asks it and sets the answer before the
/// first load; decoders write that order directly. Alpha is straight: SDL's software renderer refuses
/// premultiplied blending.
public enum PixelFormat: Hashable, Sendable {
  /// Blue, green, red, alpha: SDL's `ARGB8888`/`RGB888` on little-endian machines.
  case bgra
  /// Red, green, blue, alpha: SDL's `ABGR8888` on little-endian machines.
  case rgba

  /// Bytes a pixel.
  public static let bytesPerPixel = 4
}
