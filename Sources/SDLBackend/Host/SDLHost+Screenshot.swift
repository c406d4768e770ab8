import CSDL
public import VitrineGraphics

extension SDLHost {
  /// Returns the image on the screen, with the panel's rotation. Does not draw dirty regions first. Black before the
  /// first frame.
  public func screenshot() -> Bitmap {
    renderer.screenshot()
      ?? Bitmap(width: 1, height: 1, format: pixelFormat, isOpaque: false) { _, _ in }
  }
}
