import CSDL
import VitrineGraphics

/// The memory into which the software renderer draws, and the conversion from there to the window's surface.
///
/// Without a rotation, and on a 32-bit surface with blue first, the renderer draws directly into the window's surface.
/// For a surface of another format, it draws into `panel`; with a rotation, into `upright`.
@MainActor
final class WindowMemory {
  private let video: VideoSession
  private let rotation: Rotation
  /// The window's pixels in the format of the renderer; `nil` if the window's surface has that format.
  private var panel: UnsafeMutablePointer<SDL_Surface>?
  /// The pixels before the rotation; `nil` without a rotation.
  private var upright: UnsafeMutablePointer<SDL_Surface>?

  init(video: VideoSession, rotation: Rotation) {
    self.video = video
    self.rotation = rotation
  }

  isolated deinit {
    SDL_FreeSurface(panel)
    SDL_FreeSurface(upright)
  }

  /// Returns the canvas to draw into. Surfaces are recreated after the window's size has changed. Returns `nil` while
  /// the window has no surface.
  func canvas() -> Canvas? {
    guard let panel = panelCanvas() else { return nil }
    guard rotation != .none else { return panel }
    let width = rotation.swapsSides ? panel.height : panel.width
    let height = rotation.swapsSides ? panel.width : panel.height
    upright = Self.surface(upright, width: width, height: height)
    return upright.flatMap(Canvas.init)
  }

  /// Presents rectangles of the canvas on the screen.
  func present(_ rects: [PixelRect]) {
    guard let surface = video.surface else { return }
    var rects = rects
    if let upright = upright.flatMap(Canvas.init), let panel = panelCanvas() {
      for rect in rects { panel.copy(rect, of: upright, turnedBy: rotation) }
      rects = rects.map { $0.turned(by: rotation, in: (upright.width, upright.height)) }
    }
    var areas = rects.map {
      SDL_Rect(x: Int32($0.left), y: Int32($0.top), w: Int32($0.width), h: Int32($0.height))
    }
    if let panel {
      for var area in areas {
        var target = area
        SDL_UpperBlit(panel, &area, surface, &target)
      }
    }
    SDL_UpdateWindowSurfaceRects(video.window, &areas, Int32(areas.count))
  }

  /// Returns the window's pixels, with the panel's rotation.
  func screenshot() -> Bitmap? {
    guard let canvas = panelCanvas() else { return nil }
    return Bitmap(width: canvas.width, height: canvas.height, format: .bgra, isOpaque: true) {
      target, _ in
      let pixels = target.assumingMemoryBound(to: UInt32.self)
      for y in 0..<canvas.height {
        let row = canvas.pointer(x: 0, y: y)
        for x in 0..<canvas.width { pixels[y * canvas.width + x] = row[x] | 0xFF00_0000 }
      }
    }
  }

  private func panelCanvas() -> Canvas? {
    guard let surface = video.surface else { return nil }
    if surface.pointee.format.pointee.hasBlueFirst {
      SDL_FreeSurface(panel)
      panel = nil
      return Canvas(surface)
    }
    panel = Self.surface(panel, width: Int(surface.pointee.w), height: Int(surface.pointee.h))
    return panel.flatMap(Canvas.init)
  }

  /// Returns `old` if its size is right. Otherwise frees `old` and returns a new surface.
  private static func surface(
    _ old: UnsafeMutablePointer<SDL_Surface>?, width: Int, height: Int
  ) -> UnsafeMutablePointer<SDL_Surface>? {
    if let old, Int(old.pointee.w) == width, Int(old.pointee.h) == height { return old }
    SDL_FreeSurface(old)
    return SDL_CreateRGBSurfaceWithFormat(0, Int32(width), Int32(height), 32, SDL_PIXELFORMAT_RGB888.rawValue)
  }
}

extension Canvas {
  /// Creates a canvas on the pixels of a 32-bit surface with blue first; `nil` if the surface is empty.
  fileprivate init?(_ surface: UnsafeMutablePointer<SDL_Surface>) {
    guard surface.pointee.w > 0, surface.pointee.h > 0, let pixels = surface.pointee.pixels else {
      return nil
    }
    self.init(
      pixels: pixels.assumingMemoryBound(to: UInt32.self), width: Int(surface.pointee.w),
      height: Int(surface.pointee.h), pixelsPerRow: Int(surface.pointee.pitch) / 4)
  }
}

extension SDL_PixelFormat {
  /// True if pixels are 0xXXRRGGBB.
  fileprivate var hasBlueFirst: Bool {
    BytesPerPixel == 4 && Rmask == 0xFF0000 && Gmask == 0xFF00 && Bmask == 0xFF
  }
}
