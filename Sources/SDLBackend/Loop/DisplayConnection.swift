import CSDL
import Glibc

/// The socket to the X11 or Wayland server. Looks up functions of libraries that SDL has loaded, to avoid linking to
/// them.
@MainActor
enum DisplayConnection {
  static func descriptor(of video: VideoSession) -> Int32? {
    var kind = SDL_SYSWM_UNKNOWN
    guard let display = vitrine_native_display(video.window, &kind),
      let symbol = dlsym(nil, kind == SDL_SYSWM_X11 ? "XConnectionNumber" : "wl_display_get_fd")
    else { return nil }
    typealias GetDescriptor = @convention(c) (UnsafeMutableRawPointer) -> Int32
    return unsafeBitCast(symbol, to: GetDescriptor.self)(display)
  }
}
