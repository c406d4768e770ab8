import CSDL
import VitrineGraphics

/// SDL's video subsystem and the host's only window.
///
/// SDL exists once per process, so there is at most one session at a time.
@MainActor
final class VideoSession {
  /// True while a session is open, or after its display was lost.
  private(set) static var isRunning = false

  /// The active video driver, SDL's name in lower case, such as `x11`.
  let driver: String
  private(set) var window: OpaquePointer?
  private(set) var isOpen = true
  private let configuration: SDLHost.Configuration

  enum Content: Equatable {
    /// Main memory; see `surface`.
    case surface
    case openGL(OpenGLDevice.Kind)
  }

  /// Starts SDL. The window is opened by `openWindow`.
  init(configuration: SDLHost.Configuration, drivers: VideoDriverChoice) throws(SDLHostError) {
    guard !Self.isRunning else { throw .anotherHostIsOpen }
    Self.isRunning = true
    var isComplete = false
    defer {
      if !isComplete {
        SDL_Quit()
        Self.isRunning = false
      }
    }

    Self.setHints(drivers)
    KeyboardGrab.keepConsoleAwake()
    let isStarted = SDL_Init(SDL_INIT_VIDEO) == 0
    let name = isStarted ? SDL_GetCurrentVideoDriver().map { String(cString: $0).lowercased() } : nil
    guard let name else { throw drivers.error(message: SDLHostError.sdlMessage) }
    driver = name
    self.configuration = configuration
    // X11, offscreen and dummy have surfaces of their own; drawing them with OpenGL would cost 90 MB without a graphics
    // processor. KMSDRM and Wayland have no other way.
    let hasOwnSurface = driver != "kmsdrm" && driver != "wayland"
    SDL_SetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION, hasOwnSurface ? "0" : "1")
    // Input consists of keys only; text input would start an input method.
    SDL_StopTextInput()
    if coversScreen { SDL_ShowCursor(SDL_DISABLE) }

    isComplete = true
  }

  /// Opens the window, or reopens the window for other content.
  func openWindow(for content: Content) throws(SDLHostError) {
    closeWindow()
    var flags =
      driver == "kmsdrm" ? 0 : SDL_WINDOW_RESIZABLE.rawValue | SDL_WINDOW_SHOWN.rawValue
    if coversScreen { flags |= SDL_WINDOW_FULLSCREEN_DESKTOP.rawValue }
    if case .openGL(let kind) = content {
      // Set before the window is opened; otherwise SDL's renderer would reopen the window with these attributes.
      let isES = kind == .opengles2
      SDL_GL_SetAttribute(SDL_GL_CONTEXT_PROFILE_MASK, isES ? Int32(SDL_GL_CONTEXT_PROFILE_ES.rawValue) : 0)
      SDL_GL_SetAttribute(SDL_GL_CONTEXT_MAJOR_VERSION, 2)
      SDL_GL_SetAttribute(SDL_GL_CONTEXT_MINOR_VERSION, isES ? 0 : 1)
      flags |= SDL_WINDOW_OPENGL.rawValue
    }
    let pixels =
      fullScreenSize ?? configuration.rotation.turned(configuration.size) * configuration.usableScale
    func side(_ length: Double) -> Int32 { Int32(min(16384, max(1, length.rounded()))) }
    let centered: Int32 = 0x2FFF_0000  // SDL_WINDOWPOS_CENTERED, a macro
    window = SDL_CreateWindow(
      configuration.title, centered, centered, side(pixels.width), side(pixels.height), flags)
    switch content {
    case .surface:
      guard window != nil, SDL_GetWindowSurface(window) != nil else {
        throw .video(driver: driver, message: SDLHostError.sdlMessage)
      }
    case .openGL(let kind):
      guard window != nil else { throw .renderer(name: kind.rawValue, message: SDLHostError.sdlMessage) }
    }
  }

  /// The size of a full-screen window of X11 or Wayland in pixels; `nil` for other windows. Without a window manager, an
  /// X11 window keeps the size with which it is opened.
  private var fullScreenSize: Size? {
    var bounds = SDL_Rect()
    guard coversScreen, driver != "kmsdrm", SDL_GetDisplayBounds(0, &bounds) == 0 else { return nil }
    return Size(width: Double(bounds.w), height: Double(bounds.h))
  }

  private func closeWindow() {
    if let window { SDL_DestroyWindow(window) }
    window = nil
  }

  isolated deinit { close() }

  /// Closes the window and ends SDL. Further calls do nothing.
  func close() {
    guard isOpen else { return }
    isOpen = false
    closeWindow()
    SDL_Quit()
    Self.isRunning = false
  }

  /// Marks the session as closed without calling SDL, because the display server is lost. SDL cannot be started again,
  /// so no other session can follow.
  func abandon() { isOpen = false }

  /// The window's pixels in main memory. SDL makes a new surface when the window's size has changed.
  var surface: UnsafeMutablePointer<SDL_Surface>? { window.flatMap(SDL_GetWindowSurface) }

  /// The size of the window in pixels.
  var size: (width: Int, height: Int) {
    var width: Int32 = 0
    var height: Int32 = 0
    if let window { SDL_GetWindowSize(window, &width, &height) }
    return (Int(width), Int(height))
  }

  /// Returns the size of the upright interface in points.
  func size(rotation: Rotation, scale: Double) -> Size {
    let pixels = size
    return rotation.turned(Size(width: Double(pixels.width) / scale, height: Double(pixels.height) / scale))
  }

  /// The refresh rate of the screen in frames per second; 60 if it is unknown, as off screen.
  var refreshRate: Double {
    var mode = SDL_DisplayMode()
    let display = SDL_GetWindowDisplayIndex(window)
    guard SDL_GetCurrentDisplayMode(display, &mode) == 0, (20...500).contains(mode.refresh_rate) else {
      return 60
    }
    return Double(mode.refresh_rate)
  }

  /// Shows or hides the mouse cursor over the window.
  func showCursor(_ isVisible: Bool) { SDL_ShowCursor(isVisible ? SDL_ENABLE : SDL_DISABLE) }

  /// True if the driver shows the window on a screen.
  var hasScreen: Bool { driver != "offscreen" && driver != "dummy" }

  /// True if the window covers the whole screen.
  var coversScreen: Bool { driver == "kmsdrm" || configuration.isFullScreen && hasScreen }

  /// True if presenting waits for the screen's next refresh.
  var waitsForScreen: Bool { driver == "kmsdrm" }

  private static func setHints(_ drivers: VideoDriverChoice) {
    // Each touch arrives only as a touch, and each mouse button only as a mouse button.
    SDL_SetHint(SDL_HINT_TOUCH_MOUSE_EVENTS, "0")
    SDL_SetHint(SDL_HINT_MOUSE_TOUCH_EVENTS, "0")
    SDL_SetHint(SDL_HINT_VIDEO_ALLOW_SCREENSAVER, "1")
    // A click that gives focus to the window counts as a click.
    SDL_SetHint(SDL_HINT_MOUSE_FOCUS_CLICKTHROUGH, "1")
    // On a desktop, the window is an ordinary window, so the compositor must not be bypassed as for a game.
    SDL_SetHint(SDL_HINT_VIDEO_X11_NET_WM_BYPASS_COMPOSITOR, "0")
    SDL_SetHintWithPriority(SDL_HINT_VIDEODRIVER, drivers.names.joined(separator: ","), SDL_HINT_OVERRIDE)
    if drivers.names.contains("kmsdrm") {
      SDL_SetHint(SDL_HINT_RENDER_VSYNC, "1")
      // An index from the environment takes precedence over this hint.
      if let card = drivers.card { SDL_SetHint(SDL_HINT_KMSDRM_DEVICE_INDEX, String(card)) }
    } else {
      SDL_SetHint(SDL_HINT_RENDER_VSYNC, "0")
    }
  }
}
