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
  let textures: TextureStore

  private let video: VideoSession
  private let fonts: FontLibrary
  private var corners = CornerMasks()
  /// Ours, where the window's surface is of another format; it has the same size.
  private var shadow: UnsafeMutablePointer<SDL_Surface>?
  private var canvas: Canvas?

  init(video: VideoSession, fonts: FontLibrary, textures: TextureStore) {
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

  // MARK: Playing

  func play(_ list: DrawList, in rect: PixelRect, scale: Double) -> [PixelRect] {
    guard let canvas else { return [] }
    fonts.scale = scale
    var clips = [rect]
    var unfinished: [PixelRect] = []
    let start = lastCover(of: list, in: rect, scale: scale)
    if start == nil { canvas.fill(rect, color: .black, clip: rect) }
    for (index, command) in list.commands.enumerated() {
      let clip = clips[clips.count - 1]
      switch command {
      case .pushClip(let inner): clips.append(PixelRect(inner, scale: scale).intersection(clip))
      case .popClip: if clips.count > 1 { clips.removeLast() }
      // Below something that covers all of it, nothing can be seen.
      case _ where index < start ?? 0 || clip.isEmpty: break
      case .fill(let area, let color, let radius):
        let area = PixelRect(area, scale: scale)
        if radius > 0 {
          let mask = corners.mask(radius: radius, scale: scale, in: area)
          canvas.fill(area, color: color, corners: mask, clip: clip)
        } else {
          canvas.fill(area, color: color, clip: clip)
        }
      case .image(let picture):
        if !draw(picture, on: canvas, clip: clip, scale: scale) {
          unfinished.append(PixelRect(picture.destination, scale: scale).intersection(clip))
        }
      case .text(let text, let font, let color, let origin):
        let key = fonts.key(for: text, font)
        guard let mask = textures.text(for: key, make: { fonts.mask(for: key) }) else { break }
        canvas.draw(
          mask, x: PixelRect.nearest(origin.x * scale), y: PixelRect.nearest(origin.y * scale),
          color: color, clip: clip)
      }
    }
    return unfinished
  }

  /// The last command that hides everything below it in `rect`; nil if there is none.
  private func lastCover(of list: DrawList, in rect: PixelRect, scale: Double) -> Int? {
    var clips = [true]
    var cover: Int?
    for (index, command) in list.commands.enumerated() {
      switch command {
      case .pushClip(let clip): clips.append(PixelRect(clip, scale: scale).contains(rect))
      case .popClip: if clips.count > 1 { clips.removeLast() }
      case .fill(let area, let color, let radius) where color.alpha == 255 && radius <= 0:
        if clips[clips.count - 1], PixelRect(area, scale: scale).contains(rect) { cover = index }
      default: break
      }
    }
    return cover
  }

  /// Returns false if the picture should be drawn again with the next frame.
  private func draw(_ picture: DrawList.Picture, on canvas: Canvas, clip: PixelRect, scale: Double) -> Bool {
    let rect = PixelRect(picture.destination, scale: scale)
    let image = picture.image
    guard !rect.intersection(clip).isEmpty, image.frames.indices.contains(picture.frame) else { return true }
    let bitmap = image.frames[picture.frame].bitmap
    var picture = picture
    picture.source = picture.source.intersection(
      Rect(x: 0, y: 0, width: Double(bitmap.width), height: Double(bitmap.height)))
    guard !picture.source.isEmpty else { return true }
    let tint = picture.tint.pixel | 0xFF00_0000
    let effect = PixelEffect(
      opacity: UInt16((min(1, max(0, picture.opacity)) * Double(picture.tint.alpha)).rounded()),
      tint: tint == 0xFFFF_FFFF ? nil : tint)
    let mask = corners.mask(radius: picture.cornerRadius, scale: scale, in: rect)
    switch textures.drawing(of: picture, in: rect, corners: mask) {
    case .texture(let texture): canvas.draw(texture, at: rect, clip: clip, effect: effect)
    case .scaled(let isTemporary):
      canvas.drawScaled(
        bitmap, source: picture.source, to: rect, corners: mask, clip: clip, effect: effect)
      return !isTemporary
    }
    return true
  }
}

extension SDL_PixelFormat {
  /// Whether pixels are 0xXXRRGGBB.
  nonisolated fileprivate var hasBlueFirst: Bool {
    BytesPerPixel == 4 && Rmask == 0xFF0000 && Gmask == 0xFF00 && Bmask == 0xFF
  }
}
