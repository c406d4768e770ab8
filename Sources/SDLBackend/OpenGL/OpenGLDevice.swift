import CSDL
import VitrineGraphics

/// An OpenGL or OpenGL ES context of a window, used through SDL's renderer.
@MainActor
final class OpenGLDevice {
  /// The API of the context.
  enum Kind: String {
    case opengl
    case opengles2
  }

  /// The byte order of textures. Both APIs upload red first without conversion; blue first takes seven times as long
  /// with `opengl` on Mesa's llvmpipe.
  static let pixelFormat = PixelFormat.rgba
  static let sdlFormat = SDL_PIXELFORMAT_ABGR8888.rawValue

  let kind: Kind
  /// The driver's name for the device that draws (`GL_RENDERER`).
  let description: String
  /// The maximum width and height of a texture in pixels.
  let largestSide: Int
  /// The SDL renderer; `nil` after the device was closed.
  private(set) var renderer: OpaquePointer?

  /// - Parameter largestSide: The maximum side of a texture in pixels, if the device allows more.
  init(_ kind: Kind, video: VideoSession, largestSide: Int = .max) throws(SDLHostError) {
    self.kind = kind
    SDL_SetHint(SDL_HINT_RENDER_BATCHING, "1")
    let flags = video.waitsForScreen ? SDL_RENDERER_PRESENTVSYNC.rawValue : 0
    var info = SDL_RendererInfo()
    guard let index = Self.index(of: kind),
      let renderer = SDL_CreateRenderer(video.window, index, SDL_RENDERER_TARGETTEXTURE.rawValue | flags),
      SDL_GetRendererInfo(renderer, &info) == 0
    else { throw .renderer(name: kind.rawValue, message: SDLHostError.sdlMessage) }
    self.renderer = renderer
    description = Self.driverDescription
    let sides = [Int(info.max_texture_width), Int(info.max_texture_height)].filter { $0 > 0 }
    self.largestSide = min(largestSide, sides.min() ?? 2048)
  }

  isolated deinit { close() }

  /// Destroys the renderer and all textures. Further calls do nothing.
  func close() {
    if let renderer { SDL_DestroyRenderer(renderer) }
    renderer = nil
  }

  /// Forgets the renderer without destroying it, because the display server and all its resources are gone.
  func abandon() { renderer = nil }

  /// True if a graphics processor draws; false for a software implementation.
  var isHardware: Bool { Self.isHardware(description) }

  static func isHardware(_ description: String) -> Bool {
    let name = description.lowercased()
    let softwareRenderers = ["llvmpipe", "softpipe", "swrast", "swiftshader", "software rasterizer"]
    return !name.isEmpty && !softwareRenderers.contains { name.contains($0) }
  }

  private static func index(of kind: Kind) -> Int32? {
    (0..<SDL_GetNumRenderDrivers()).first { index in
      var info = SDL_RendererInfo()
      return SDL_GetRenderDriverInfo(index, &info) == 0 && String(cString: info.name) == kind.rawValue
    }
  }

  /// The value of `GL_RENDERER` in the current context.
  private static var driverDescription: String {
    typealias GetString = @convention(c) (UInt32) -> UnsafePointer<CChar>?
    guard let address = SDL_GL_GetProcAddress("glGetString") else { return "" }
    let getString = unsafeBitCast(address, to: GetString.self)
    let renderer: UInt32 = 0x1F01  // GL_RENDERER
    return getString(renderer).map { String(cString: $0) } ?? ""
  }
}
