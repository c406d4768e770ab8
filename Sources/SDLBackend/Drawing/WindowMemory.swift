import CSDL
import VitrineGraphics

/// The memory that the software renderer draws into, and its way from there to the screen.
///
/// Upright, and on a surface of 32 bits, blue first, it is the window's own. A surface of another format gets a
/// `panel` of ours before it, and a turned one an `upright` before that.
@MainActor
final class WindowMemory {
  private let video: VideoSession
  private let rotation: Rotation
  /// What the window shows, in the format that is drawn; nil where the window's surface has it.
  private var panel: UnsafeMutablePointer<SDL_Surface>?
  /// The picture before it is turned; nil where it is not.
  private var upright: UnsafeMutablePointer<SDL_Surface>?

  init(video: VideoSession, rotation: Rotation) {
    self.video = video
    self.rotation = rotation
  }

  isolated deinit {
    SDL_FreeSurface(panel)
    SDL_FreeSurface(upright)
  }

  /// What to draw into. The surfaces are made anew when the window's size has changed.
  func canvas() -> Canvas? {
    guard let panel = panelCanvas() else { return nil }
    guard rotation != .none else { return panel }
    let width = rotation.swapsSides ? panel.height : panel.width
    let height = rotation.swapsSides ? panel.width : panel.height
    upright = Self.surface(upright, width: width, height: height)
    return upright.flatMap(Canvas.init)
  }

  /// Brings rectangles of the canvas to the screen.
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

  /// What the window shows, turned as it is.
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

  /// The same surface if it has that size, or else a new one in its place.
  private static func surface(
    _ old: UnsafeMutablePointer<SDL_Surface>?, width: Int, height: Int
  ) -> UnsafeMutablePointer<SDL_Surface>? {
    if let old, Int(old.pointee.w) == width, Int(old.pointee.h) == height { return old }
    SDL_FreeSurface(old)
    return SDL_CreateRGBSurfaceWithFormat(0, Int32(width), Int32(height), 32, SDL_PIXELFORMAT_RGB888.rawValue)
  }
}

extension Canvas {
  /// The pixels of a surface of 32 bits, blue first; nil for an empty one.
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
  /// Whether pixels are 0xXXRRGGBB.
  nonisolated fileprivate var hasBlueFirst: Bool {
    BytesPerPixel == 4 && Rmask == 0xFF0000 && Gmask == 0xFF00 && Bmask == 0xFF
  }
}
