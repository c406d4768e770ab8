import CSDL
import VitrineGraphics
import VitrineWidgets

/// Draws with OpenGL or OpenGL ES, pixel for pixel like the software renderer: scaled images, rounded corners and texts
/// are the same bitmaps, uploaded once.
///
/// The window's content is undefined after it was presented, so the renderer keeps the image in a texture. Dirty
/// regions are drawn into this texture. Then the whole texture is copied to the window, rotated for the panel.
@MainActor
final class OpenGLRenderer: Renderer {
  let pixelFormat = OpenGLDevice.pixelFormat
  let fonts: FontLibrary
  var corners = CornerMasks()
  let device: OpenGLDevice

  private let rotation: Rotation
  private let textures: TextureStore<OpenGLTextures>
  /// The texture with the upright content of the window.
  private(set) var image: OpenGLCanvas?

  /// Throws an error if there is no memory for a texture of the window's size.
  init(
    device: OpenGLDevice, rotation: Rotation, fonts: FontLibrary, textures: TextureStore<OpenGLTextures>
  ) throws(SDLHostError) {
    self.device = device
    self.rotation = rotation
    self.fonts = fonts
    self.textures = textures
    guard prepareCanvas() != nil else {
      throw .renderer(name: device.kind.rawValue, message: SDLHostError.sdlMessage)
    }
  }

  var name: String { device.kind.rawValue }
  var textureBytes: Int { textures.byteCount }

  func releaseTextures(bytes: Int, keepsShown: Bool) {
    textures.release(bytes: bytes, keepsShown: keepsShown)
  }

  func begin() -> PixelRect? {
    textures.beginFrame()
    guard let image = prepareCanvas(), image.beginDrawing() else { return nil }
    return PixelRect(width: image.width, height: image.height)
  }

  func present(_ rects: [PixelRect]) {
    guard let renderer = device.renderer, let image else { return }
    SDL_SetRenderTarget(renderer, nil)
    image.copy(turned: rotation)
    SDL_RenderPresent(renderer)
  }

  func screenshot() -> Bitmap? { prepareCanvas()?.pixels(turned: rotation) }

  func reset() {
    textures.removeAll()
    image = nil
  }

  func close() {
    reset()
    device.close()
  }

  func abandon() {
    device.abandon()
    reset()
  }

  /// Returns the texture with the content of the window, in the current size of the window. A new texture is black.
  private func prepareCanvas() -> OpenGLCanvas? {
    var width: Int32 = 0
    var height: Int32 = 0
    guard let renderer = device.renderer, SDL_SetRenderTarget(renderer, nil) == 0,
      SDL_GetRendererOutputSize(renderer, &width, &height) == 0
    else { return nil }
    if rotation.swapsSides { swap(&width, &height) }
    if image?.width != Int(width) || image?.height != Int(height) {
      image = OpenGLCanvas(width: Int(width), height: Int(height), device: device)
    }
    return image
  }

  // MARK: Drawing

  func fill(_ rect: PixelRect, color: Color, clip: PixelRect) {
    let visible = rect.intersection(clip)
    guard !visible.isEmpty, let renderer = device.renderer else { return }
    var area = SDL_Rect(visible)
    SDL_SetRenderDrawBlendMode(renderer, color.alpha < 255 ? SDL_BLENDMODE_BLEND : SDL_BLENDMODE_NONE)
    SDL_SetRenderDrawColor(renderer, color.red, color.green, color.blue, color.alpha)
    SDL_RenderFillRect(renderer, &area)
  }

  func fillCorners(of rect: PixelRect, color: Color, corners: CornerMask, clip: PixelRect) {
    let radius = corners.radius
    let left = rect.left + radius
    let right = rect.right - radius
    let top = rect.top + radius
    let bottom = rect.bottom - radius
    guard radius > 0,
      let disc = textures.mask(for: .corners(corners.shape), make: { CoverageMask(corners) })
    else { return }
    let effect = PixelEffect(opacity: UInt16(color.alpha), tint: color.pixel)
    // Each corner is a quarter of a disc around the corner's center.
    for (x, columns) in [(left, (rect.left, left)), (right, (right, rect.right))] {
      for (y, rows) in [(top, (rect.top, top)), (bottom, (bottom, rect.bottom))] {
        let corner = PixelRect(left: columns.0, top: rows.0, right: columns.1, bottom: rows.1)
        disc.draw(x: x - radius, y: y - radius, clip: clip.intersection(corner), effect: effect)
      }
    }
  }

  func draw(_ shadow: ShadowShape, of rect: PixelRect, color: Color, clip: PixelRect) {
    guard let mask = textures.mask(for: .shadow(shadow), make: shadow.blurred) else { return }
    mask.draw(
      columns: shadow.columns(of: rect), rows: shadow.rows(of: rect), clip: clip,
      effect: PixelEffect(opacity: UInt16(color.alpha), tint: color.pixel))
  }

  func prepare(_ image: PlacedImage) {
    if !image.command.isMoving {
      textures.prepare(image.command, in: image.rect, corners: image.corners)
    } else if image.hasWholeTexture {
      textures.prepareWhole(image.command.image)
    }
  }

  func draw(_ image: PlacedImage, clip: PixelRect) -> Bool {
    if let moving = image.moving {
      draw(moving, image, clip: clip)
      return true
    }
    switch textures.drawing(of: image.command, in: image.rect, corners: image.corners) {
    case .texture(let texture):
      texture.draw(x: image.rect.left, y: image.rect.top, clip: clip, effect: image.effect)
      return true
    case .coarse(let reason):
      // Uploading the whole image would exceed the frame's budget, so each 4x4 block is drawn as one pixel.
      draw(image, block: reason == .overBudget ? 4 : 1, visible: image.rect.intersection(clip))
      return reason == .noMemory
    }
  }

  /// Draws the visible part of an image from the bitmap, without keeping a texture.
  private func draw(_ image: PlacedImage, block: Int, visible: PixelRect) {
    guard !visible.isEmpty else { return }
    let coarse = image.coarse
    let width = (visible.width + block - 1) / block
    let height = (visible.height + block - 1) / block
    let isOpaque = coarse.bitmap.isOpaque && coarse.corners.radius == 0
    let bitmap = Bitmap(width: width, height: height, format: pixelFormat, isOpaque: isOpaque) {
      bytes, pitch in
      coarse.withRows(of: visible, block: block, format: pixelFormat) { row, y in
        let target = UnsafeMutableRawBufferPointer(rebasing: bytes[((y - visible.top) / block * pitch)...])
        target.copyMemory(from: UnsafeRawBufferPointer(row))
      }
    }
    let pixels = ImagePixels(
      bitmap: image.effect.replacesColors ? bitmap.whitened() : bitmap, isBodyOpaque: isOpaque)
    OpenGLTexture(pixels, width: width, height: height, device: device)?
      .draw(x: visible.left, y: visible.top, block: block, clip: visible, effect: image.effect)
  }

  /// Draws an image that moves: from a texture of the whole image, or scaled by the processor if there is none.
  private func draw(_ moving: MovingImage, _ image: PlacedImage, clip: PixelRect) {
    let visible = moving.rect.intersection(clip)
    guard !visible.isEmpty else { return }
    if image.hasWholeTexture, let texture = textures.wholeTexture(of: image.command.image) {
      return texture.draw(moving.source, in: moving.rect, clip: visible, effect: image.effect)
    }
    let isOpaque = moving.bitmap.isOpaque && moving.corners.radius == 0
    let bitmap = Bitmap(
      width: visible.width, height: visible.height, format: pixelFormat, isOpaque: isOpaque
    ) { bytes, pitch in
      moving.withRows(of: visible, format: pixelFormat) { row, y in
        UnsafeMutableRawBufferPointer(rebasing: bytes[((y - visible.top) * pitch)...])
          .copyMemory(from: UnsafeRawBufferPointer(row))
      }
    }
    let pixels = ImagePixels(
      bitmap: image.effect.replacesColors ? bitmap.whitened() : bitmap, isBodyOpaque: isOpaque)
    OpenGLTexture(pixels, width: visible.width, height: visible.height, device: device)?
      .draw(x: visible.left, y: visible.top, clip: visible, effect: image.effect)
  }

  func draw(_ text: TextKey, x: Int, y: Int, color: Color, clip: PixelRect) {
    guard let mask = textures.mask(for: .text(text), make: { fonts.mask(for: text) }) else { return }
    let effect = PixelEffect(opacity: UInt16(color.alpha), tint: color.pixel)
    mask.draw(x: x, y: y, clip: clip, effect: effect)
  }

  func mix(in area: PixelRect, fraction: Double, _ first: () -> Bool, and second: () -> Bool) -> Bool {
    guard !area.isEmpty, let image else { return true }
    // Without memory for mixing, the second image appears at once.
    guard let below = image.copy(of: area) else { return second() }
    let isFirstDone = first()
    guard let old = image.copy(of: area) else { return second() }
    below.draw(at: area, opacity: 255)
    let isSecondDone = second()
    old.draw(at: area, opacity: UInt8(((1 - fraction) * 255).rounded()))
    return isFirstDone && isSecondDone
  }

  func drawGroup(in area: PixelRect, opacity: Double, _ content: () -> Void) {
    guard !area.isEmpty, let image else { return }
    // Without memory for mixing, the group is drawn opaque.
    let below = image.copy(of: area)
    content()
    below?.draw(at: area, opacity: 255 - UInt8((opacity * 255).rounded()))
  }
}

extension PlacedImage {
  /// True if an image that moves is drawn from a texture of all its pixels.
  fileprivate var hasWholeTexture: Bool { corners.radius == 0 && !effect.replacesColors }
}
