import CSDL
import VitrineGraphics

/// OpenGL or OpenGL ES behind a window, as SDL's renderer offers it.
@MainActor
final class OpenGLDevice {
  /// Which of them.
  enum Kind: String {
    case opengl
    case opengles2
  }

  /// Both upload red first without touching a pixel; blue first takes `opengl` on Mesa's llvmpipe seven times as long.
  static let pixelFormat = PixelFormat.rgba
  static let sdlFormat = SDL_PIXELFORMAT_ABGR8888.rawValue

  let kind: Kind
  /// What draws, in the words of its driver.
  let description: String
  /// Pixels that a texture may have a side.
  let largestSide: Int
  /// Nil once it is closed.
  private(set) var renderer: OpaquePointer?

  /// - Parameter largestSide: pixels that a texture may have a side if the device allows more.
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

  /// Ends it and every texture of it. A second call does nothing.
  func close() {
    if let renderer { SDL_DestroyRenderer(renderer) }
    renderer = nil
  }

  /// Leaves a lost display server alone: what it had went with it.
  func abandon() { renderer = nil }

  /// Whether a graphics processor draws, and not a program that does as if.
  var isHardware: Bool { Self.isHardware(description) }

  static func isHardware(_ description: String) -> Bool {
    let name = description.lowercased()
    let programs = ["llvmpipe", "softpipe", "swrast", "swiftshader", "software rasterizer"]
    return !name.isEmpty && !programs.contains { name.contains($0) }
  }

  private static func index(of kind: Kind) -> Int32? {
    (0..<SDL_GetNumRenderDrivers()).first { index in
      var info = SDL_RendererInfo()
      return SDL_GetRenderDriverInfo(index, &info) == 0 && String(cString: info.name) == kind.rawValue
    }
  }

  /// GL_RENDERER of the current context.
  private static var driverDescription: String {
    typealias GetString = @convention(c) (UInt32) -> UnsafePointer<CChar>?
    guard let address = SDL_GL_GetProcAddress("glGetString") else { return "" }
    let getString = unsafeBitCast(address, to: GetString.self)
    let renderer: UInt32 = 0x1F01  // GL_RENDERER
    return getString(renderer).map { String(cString: $0) } ?? ""
  }
}
