import VitrineGraphics
import VitrineWidgets

/// Draws with the processor into the window's surface. SDL presents the surface by rectangles.
///
/// The surface keeps its pixels from frame to frame with every video driver, so only dirty regions are drawn. If the
/// pixels must be rotated or converted, the renderer draws into memory of its own and copies the dirty regions to the
/// surface.
@MainActor
final class SoftwareRenderer: Renderer {
  let name = "software"
  let pixelFormat = PixelFormat.bgra
  let textures: TextureStore<PixelsInMemory>
  let fonts: FontLibrary
  var corners = CornerMasks()

  private let memory: WindowMemory
  private var canvas: Canvas?

  init(
    video: VideoSession, rotation: Rotation, fonts: FontLibrary, textures: TextureStore<PixelsInMemory>
  ) {
    memory = WindowMemory(video: video, rotation: rotation)
    self.fonts = fonts
    self.textures = textures
  }

  var textureBytes: Int { textures.byteCount }

  func releaseTextures(bytes: Int, keepsShown: Bool) {
    textures.release(bytes: bytes, keepsShown: keepsShown)
  }

  func begin() -> PixelRect? {
    textures.beginFrame()
    canvas = memory.canvas()
    return canvas?.bounds
  }

  func present(_ rects: [PixelRect]) { memory.present(rects) }

  func screenshot() -> Bitmap? { memory.screenshot() }

  func reset() {}

  func close() {}

  func abandon() {}

  // MARK: Drawing

  func fill(_ rect: PixelRect, color: Color, clip: PixelRect) {
    canvas?.fill(rect, color: color, clip: clip)
  }

  func fillCorners(of rect: PixelRect, color: Color, corners: CornerMask, clip: PixelRect) {
    canvas?.fillCorners(of: rect, color: color, corners: corners, clip: clip)
  }

  func draw(_ shadow: ShadowShape, of rect: PixelRect, color: Color, clip: PixelRect) {
    guard let mask = textures.mask(for: .shadow(shadow), make: shadow.blurred) else { return }
    canvas?.draw(
      mask, columns: shadow.columns(of: rect), rows: shadow.rows(of: rect), color: color, clip: clip)
  }

  func prepare(_ image: PlacedImage) {
    // An image that moves is scaled in each frame.
    if !image.command.isMoving { textures.prepare(image.command, in: image.rect, corners: image.corners) }
  }

  func draw(_ image: PlacedImage, clip: PixelRect) -> Bool {
    if let moving = image.moving {
      canvas?.draw(moving, clip: clip, effect: image.effect)
      return true
    }
    switch textures.drawing(of: image.command, in: image.rect, corners: image.corners) {
    case .texture(let pixels):
      canvas?.draw(pixels, at: image.rect, clip: clip, effect: image.effect)
      return true
    case .coarse(let reason):
      canvas?.draw(image.coarse, clip: clip, effect: image.effect)
      return reason == .noMemory
    }
  }

  func draw(_ text: TextKey, x: Int, y: Int, color: Color, clip: PixelRect) {
    guard let mask = textures.mask(for: .text(text), make: { fonts.mask(for: text) }) else { return }
    canvas?.draw(mask, x: x, y: y, color: color, clip: clip)
  }

  func mix(in area: PixelRect, fraction: Double, _ first: () -> Bool, and second: () -> Bool) -> Bool {
    canvas?.mix(in: area, fraction: fraction, first, and: second) ?? true
  }

  func drawGroup(in area: PixelRect, opacity: Double, _ content: () -> Void) {
    canvas?.drawGroup(in: area, opacity: opacity, content)
  }
}
