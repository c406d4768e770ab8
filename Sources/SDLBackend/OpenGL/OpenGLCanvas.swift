import CSDL
import VitrineGraphics

/// A texture that can be a render target.
@MainActor
final class OpenGLCanvas {
  let width, height: Int

  private let device: OpenGLDevice
  private let texture: OpaquePointer

  /// Creates a black texture. Returns `nil` if the device has no memory for it.
  init?(width: Int, height: Int, device: OpenGLDevice) {
    guard width > 0, height > 0, let renderer = device.renderer,
      let texture = SDL_CreateTexture(
        renderer, OpenGLDevice.sdlFormat, Int32(SDL_TEXTUREACCESS_TARGET.rawValue), Int32(width),
        Int32(height))
    else { return nil }
    self.width = width
    self.height = height
    self.device = device
    self.texture = texture
    SDL_SetTextureScaleMode(texture, SDL_ScaleModeNearest)
    SDL_SetTextureBlendMode(texture, SDL_BLENDMODE_NONE)
    if beginDrawing() {
      SDL_SetRenderDrawColor(renderer, 0, 0, 0, 255)
      SDL_RenderClear(renderer)
    }
    SDL_SetRenderTarget(renderer, nil)
  }

  isolated deinit {
    // A closed device has already destroyed its textures.
    if device.renderer != nil { SDL_DestroyTexture(texture) }
  }

  /// Makes the texture the render target, until another target is set. Returns true on success.
  func beginDrawing() -> Bool { SDL_SetRenderTarget(device.renderer, texture) == 0 }

  /// Draws the texture over the whole render target.
  func copy(turned rotation: Rotation) {
    guard rotation != .none else {
      SDL_RenderCopy(device.renderer, texture, nil, nil)
      return
    }
    let size = Size(width: Double(width), height: Double(height))
    let corners = [(0.0, 0.0), (1, 0), (1, 1), (0, 1)].map { x, y in
      let position = rotation.onPanel(Point(x: x * size.width, y: y * size.height), of: size)
      return SDL_Vertex(
        position: SDL_FPoint(x: Float(position.x), y: Float(position.y)),
        color: SDL_Color(r: 255, g: 255, b: 255, a: 255), tex_coord: SDL_FPoint(x: Float(x), y: Float(y)))
    }
    SDL_RenderGeometry(device.renderer, texture, corners, 4, [0, 1, 2, 0, 2, 3], 6)
  }

  /// Returns a copy of a part of the texture, or `nil` if the device has no memory for the copy. Afterwards this
  /// texture is the render target.
  func copy(of area: PixelRect) -> OpenGLCanvas? {
    defer { _ = beginDrawing() }
    let copy = OpenGLCanvas(width: area.width, height: area.height, device: device)
    guard let copy, copy.beginDrawing() else { return nil }
    var source = SDL_Rect(area)
    SDL_RenderCopy(device.renderer, texture, &source, nil)
    return copy
  }

  /// Draws the texture over a part of the render target with the same size.
  func draw(at rect: PixelRect, opacity: UInt8) {
    var target = SDL_Rect(rect)
    SDL_SetTextureBlendMode(texture, opacity < 255 ? SDL_BLENDMODE_BLEND : SDL_BLENDMODE_NONE)
    SDL_SetTextureAlphaMod(texture, opacity)
    SDL_RenderCopy(device.renderer, texture, nil, &target)
  }

  /// Returns the rotated pixels, blue first. Waits for the device.
  func pixels(turned rotation: Rotation) -> Bitmap? {
    guard let renderer = device.renderer else { return nil }
    defer { SDL_SetRenderTarget(renderer, nil) }
    guard rotation != .none else { return beginDrawing() ? targetPixels(width: width, height: height) : nil }
    let panelWidth = rotation.swapsSides ? height : width
    let panelHeight = rotation.swapsSides ? width : height
    let panel = OpenGLCanvas(width: panelWidth, height: panelHeight, device: device)
    guard let panel, panel.beginDrawing() else { return nil }
    copy(turned: rotation)
    return panel.targetPixels(width: panelWidth, height: panelHeight)
  }

  private func targetPixels(width: Int, height: Int) -> Bitmap? {
    var isRead = false
    let bitmap = Bitmap(width: width, height: height, format: .bgra, isOpaque: true) { bytes, pitch in
      isRead =
        SDL_RenderReadPixels(
          device.renderer, nil, SDL_PIXELFORMAT_ARGB8888.rawValue, bytes.baseAddress, Int32(pitch)) == 0
      for pixel in bytes.bindMemory(to: UInt32.self).indices {
        bytes.storeBytes(of: 255, toByteOffset: pixel * 4 + 3, as: UInt8.self)
      }
    }
    return isRead ? bitmap : nil
  }
}
