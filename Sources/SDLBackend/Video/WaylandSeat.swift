import CSDL
import Glibc

/// A check for Wayland compositors without a seat: SDL before 2.30 crashes there.
///
/// A seat is the keyboard, pointer and touch screen of one user. A machine without these devices has none.
enum WaylandSeat {
  /// The maximum number of seconds for the reply of the compositor.
  private static let patience = 5.0

  /// Returns true if SDL would crash: it is older than 2.30, and the compositor of the environment lists its objects
  /// without a seat within five seconds.
  static func isMissing(environment: (String) -> String?) -> Bool {
    var version = SDL_version()
    SDL_GetVersion(&version)
    guard version.major == 2, version.minor < 30, environment("WAYLAND_SOCKET") == nil,
      let compositor = connect(environment)
    else { return false }
    defer { close(compositor) }
    return isMissing(on: compositor)
  }

  /// Connects to the compositor that libwayland would connect to.
  private static func connect(_ environment: (String) -> String?) -> Int32? {
    let display = environment("WAYLAND_DISPLAY") ?? ""
    let name = display.isEmpty ? "wayland-0" : display
    let path = name.hasPrefix("/") ? name : "\(environment("XDG_RUNTIME_DIR") ?? "")/\(name)"
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    let code = withUnsafeBytes(of: &address) { bytes in
      bytes.withMemoryRebound(to: sockaddr.self) {
        Glibc.connect(descriptor, $0.baseAddress, socklen_t(bytes.count))
      }
    }
    guard code == 0 else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  /// Asks the compositor on a socket for the list of its objects. Returns true if the list is complete within the time
  /// limit and has no seat.
  ///
  /// - Parameter now: Returns the time in seconds.
  static func isMissing(on compositor: Int32, now: () -> Double = { SystemTime.now }) -> Bool {
    let deadline = now() + patience
    // A message begins with its object, its size in bytes and its opcode. Two requests to the display, which is object
    // 1: `get_registry` creates object 2, which lists the objects, and `sync` creates object 3, which replies after
    // the list.
    let requests: [UInt32] = [1, 12 << 16 | 1, 2, 1, 12 << 16 | 0, 3]
    let isSent = requests.withUnsafeBytes {
      send(compositor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) == $0.count
    }
    guard isSent else { return false }

    var reply: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 16384)
    while true {
      while reply.count >= 8 {
        let (object, head) = reply.withUnsafeBytes { $0.loadUnaligned(as: (UInt32, UInt32).self) }
        let size = Int(head >> 16)
        guard size >= 8 else { return false }
        guard reply.count >= size else { break }
        if object == 3 { return true }
        // The name of an object's interface follows the head, the object's number and the length of the name.
        if reply.dropFirst(16).starts(with: "wl_seat\0".utf8) { return false }
        reply.removeFirst(size)
      }
      guard wait(for: compositor, seconds: deadline - now()) else { return false }
      let count = recv(compositor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count > 0 else { return false }
      reply += bytes[..<count]
    }
  }

  /// Waits until the compositor has sent something, or until a signal arrives. Returns false if the time is over.
  private static func wait(for compositor: Int32, seconds: Double) -> Bool {
    guard seconds > 0 else { return false }
    var polled = pollfd(fd: compositor, events: Int16(POLLIN), revents: 0)
    return poll(&polled, 1, Int32((seconds * 1000).rounded(.up))) != 0
  }
}
