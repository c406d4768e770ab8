import CSDL
public import VitrineGraphics

extension SDLHost {
  /// Returns the image on the screen, with the panel's rotation. Does not draw dirty regions first. Black before the
  /// first frame.
  public func screenshot() -> Bitmap {
    renderer.screenshot()
      ?? Bitmap(width: 1, height: 1, format: pixelFormat, isOpaque: false) { _, _ in }
  }

  /// Writes a bitmap as a PNG file, replacing an existing file. An opaque bitmap is written without an alpha channel.
  public nonisolated static func writePNG(_ bitmap: Bitmap, to path: String) throws(SDLHostError) {
    // SDL keeps its last error per thread, and frees it only for threads that SDL created.
    defer { SDL_TLSCleanup() }
    let format =
      switch (bitmap.format, bitmap.isOpaque) {
      case (.bgra, false): SDL_PIXELFORMAT_ARGB8888
      case (.bgra, true): SDL_PIXELFORMAT_RGB888
      case (.rgba, false): SDL_PIXELFORMAT_ABGR8888
      case (.rgba, true): SDL_PIXELFORMAT_BGR888
      }
    let isWritten = bitmap.withUnsafeBytes { bytes in
      // SDL only reads the pixels.
      let pixels = UnsafeMutableRawPointer(mutating: bytes.baseAddress)
      let surface = SDL_CreateRGBSurfaceWithFormatFrom(
        pixels, Int32(bitmap.width), Int32(bitmap.height), 32, Int32(bitmap.bytesPerRow), format.rawValue)
      defer { SDL_FreeSurface(surface) }
      return surface != nil && IMG_SavePNG(surface, path) == 0
    }
    guard isWritten else { throw .file(path: path, message: SDLHostError.sdlMessage) }
  }
}
