import CSDL
import VitrineGraphics
import VitrineWidgets

/// Draws with the processor into the surface of the window, which SDL brings to the screen by rectangles.
///
/// The surface keeps its pixels from frame to frame, so only what is dirty is drawn, with each driver. Where the
/// surface is not of 32 bits, blue first, one of our own is drawn into and copied over.
@MainActor
final class SoftwareRenderer: Renderer {
  let name = "software"
  let pixelFormat = PixelFormat.bgra
  let textures: TextureStore<PixelsInMemory>
  let fonts: FontLibrary
  var corners = CornerMasks()

  private let video: VideoSession
  /// Ours, where the window's surface is of another format; it has the same size.
  private var shadow: UnsafeMutablePointer<SDL_Surface>?
  private var canvas: Canvas?

  init(video: VideoSession, fonts: FontLibrary, textures: TextureStore<PixelsInMemory>) {
    self.video = video
    self.fonts = fonts
    self.textures = textures
  }

  isolated deinit { SDL_FreeSurface(shadow) }

  var textureBytes: Int { textures.byteCount }

  func begin() -> PixelRect? {
    textures.beginFrame()
    canvas = currentCanvas()
    return canvas?.bounds
  }

  func present(_ rects: [PixelRect]) {
    guard let surface = video.surface else { return }
    var rects = rects.map {
      SDL_Rect(x: Int32($0.left), y: Int32($0.top), w: Int32($0.width), h: Int32($0.height))
    }
    if let shadow {
      for var rect in rects {
        var target = rect
        SDL_UpperBlit(shadow, &rect, surface, &target)
      }
    }
    SDL_UpdateWindowSurfaceRects(video.window, &rects, Int32(rects.count))
  }

  func screenshot() -> Bitmap? {
    guard let canvas = currentCanvas() else { return nil }
    return Bitmap(width: canvas.width, height: canvas.height, format: .bgra, isOpaque: true) {
      target, _ in
      let pixels = target.assumingMemoryBound(to: UInt32.self)
      for y in 0..<canvas.height {
        let row = canvas.pointer(x: 0, y: y)
        for x in 0..<canvas.width { pixels[y * canvas.width + x] = row[x] | 0xFF00_0000 }
      }
    }
  }

  /// The memory to draw into. The window's surface is made anew when the window's size has changed.
  private func currentCanvas() -> Canvas? {
    guard var surface = video.surface else { return nil }
    if surface.pointee.format.pointee.hasBlueFirst {
      SDL_FreeSurface(shadow)
      shadow = nil
    } else {
      if shadow?.pointee.w != surface.pointee.w || shadow?.pointee.h != surface.pointee.h {
        SDL_FreeSurface(shadow)
        shadow = SDL_CreateRGBSurfaceWithFormat(
          0, surface.pointee.w, surface.pointee.h, 32, SDL_PIXELFORMAT_RGB888.rawValue)
      }
      guard let shadow else { return nil }
      surface = shadow
    }
    guard surface.pointee.w > 0, surface.pointee.h > 0, let pixels = surface.pointee.pixels else {
      return nil
    }
    return Canvas(
      pixels: pixels.assumingMemoryBound(to: UInt32.self), width: Int(surface.pointee.w),
      height: Int(surface.pointee.h), pixelsPerRow: Int(surface.pointee.pitch) / 4)
  }

  func reset() {}

  func close() {}

  // MARK: Drawing

  func fill(_ rect: PixelRect, color: Color, clip: PixelRect) {
    canvas?.fill(rect, color: color, clip: clip)
  }

  func fill(_ rect: PixelRect, color: Color, corners: CornerMask, clip: PixelRect) {
    canvas?.fill(rect, color: color, corners: corners, clip: clip)
  }

  func draw(_ picture: PlacedPicture, clip: PixelRect) -> Bool {
    switch textures.drawing(of: picture.picture, in: picture.rect, corners: picture.corners) {
    case .texture(let pixels):
      canvas?.draw(pixels, at: picture.rect, clip: clip, effect: picture.effect)
      return true
    case .coarse(let reason):
      canvas?.draw(picture.coarse, clip: clip, effect: picture.effect)
      return reason == .noRoom
    }
  }

  func draw(_ text: TextKey, x: Int, y: Int, color: Color, clip: PixelRect) {
    guard let mask = textures.mask(for: .text(text), make: { fonts.mask(for: text) }) else { return }
    canvas?.draw(mask, x: x, y: y, color: color, clip: clip)
  }
}

extension SDL_PixelFormat {
  /// Whether pixels are 0xXXRRGGBB.
  nonisolated fileprivate var hasBlueFirst: Bool {
    BytesPerPixel == 4 && Rmask == 0xFF0000 && Gmask == 0xFF00 && Bmask == 0xFF
  }
}
