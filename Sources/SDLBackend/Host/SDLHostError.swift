import CSDL

/// An error of a host. `description` is one line that says what to do.
public enum SDLHostError: Error, Hashable, Sendable, CustomStringConvertible {
  /// There is no screen: no X11 or Wayland display server, and no connected display.
  case noScreen(message: String)
  /// A display is connected, but the graphics card's device may not be opened.
  case noPermission(path: String)
  /// The Wayland compositor has no seat (keyboard, pointer or touch screen), and SDL is older than 2.30, which would
  /// crash.
  case noSeat
  /// The requested video driver does not work on this machine.
  case video(driver: String, message: String)
  /// The requested renderer does not work on this machine.
  case renderer(name: String, message: String)
  /// The X server or Wayland compositor of the window has ended. SDL cannot be used again in this process.
  case displayLost(driver: String)
  /// A font file does not exist or cannot be read.
  case missingFont(path: String)
  /// A font file exists but cannot be used.
  case font(path: String, message: String)
  /// Another host is open. SDL exists once per process, so that host must be closed first.
  case anotherHostIsOpen
  /// The call was made on a thread other than the process's first, where neither SDL nor the main actor can run. In an
  /// asynchronous `main`, this includes everything after the first `await`.
  case notFirstThread

  /// One line, without a full stop, that says what happened and, where possible, what to do.
  public var description: String {
    switch self {
    case .noScreen(let message):
      "no screen: neither X11 nor Wayland nor a connected display"
        + (message.isEmpty ? "" : " (\(message))") + "; SDL_VIDEODRIVER=offscreen runs without one"
    case .noPermission(let path):
      "\(path) may not be opened: add the user to the groups video, render and input, or run as root"
    case .noSeat:
      "the video driver wayland does not work: the compositor has no seat (keyboard, pointer or touch screen), which "
        + "SDL before 2.30 needs; use SDL 2.30 or later, or another driver"
    case .video(let driver, let message): "the video driver \(driver) does not work: \(message)"
    case .renderer(let name, let message):
      "the renderer \(name) does not work: \(message.isEmpty ? "SDL does not say why" : message); "
        + "it needs the packages \(Self.packages(ofRenderer: name)), or use the renderer software"
    case .displayLost(let driver): "the \(driver) display server is gone, and the window with it"
    case .missingFont(let path): "the font \(path) is missing: install the package fonts-dejavu-core"
    case .font(let path, let message): "the font \(path) cannot be used: \(message)"
    case .anotherHostIsOpen: "another SDL host is open in this process: close it first"
    case .notFirstThread:
      "not on the process's first thread: make main() synchronous, call run() from it without an await before, "
        + "and start asynchronous work in a Task"
    }
  }

  private static func packages(ofRenderer name: String) -> String {
    "libgl1-mesa-dri, libegl1 and " + (name == "opengl" ? "libgl1" : "libgles2")
  }

  /// SDL's message about the last failed call on this thread.
  static var sdlMessage: String { SDL_GetError().map { String(cString: $0) } ?? "" }
}
