import CSDL
import Glibc

/// The socket of a Wayland compositor.
nonisolated enum WaylandSocket {
  /// The path at which libwayland looks for the compositor; `nil` if the environment does not define it.
  static var path: String? {
    func variable(_ name: String) -> String? {
      getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
    let name = variable("WAYLAND_DISPLAY") ?? "wayland-0"
    return name.hasPrefix("/") ? name : variable("XDG_RUNTIME_DIR").map { "\($0)/\(name)" }
  }

  /// Connects to the compositor. Returns the descriptor, or `nil` if the connection fails.
  static func connect(to path: String) -> Int32? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let capacity = MemoryLayout.size(ofValue: address.sun_path)
    guard path.utf8.count < capacity else { return nil }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let code = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, size) }
    }
    guard code == 0 else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  /// Returns true if the compositor has a seat; `nil` if the compositor does not reply within five seconds.
  static func hasSeat(at path: String) -> Bool? {
    guard let descriptor = connect(to: path) else { return nil }
    defer { close(descriptor) }
    let registry: UInt32 = 2
    let callback: UInt32 = 3
    let getRegistry = WaylandMessage(object: WaylandMessage.display, opcode: 1, words: [registry])
    let sync = WaylandMessage(object: WaylandMessage.display, opcode: 0, words: [callback])
    let request = getRegistry.bytes + sync.bytes
    guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
      return nil
    }

    var buffer = WaylandBuffer()
    var bytes = [UInt8](repeating: 0, count: 16384)
    let end = SystemTime.now + 5
    while true {
      while let message = buffer.next() {
        if message.object == registry, message.opcode == 0, message.text(at: 4)?.text == "wl_seat" {
          return true
        }
        // The reply to `sync` follows the complete list of objects.
        if message.object == callback { return false }
      }
      var descriptorToPoll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let remainingMilliseconds = Int32((end - SystemTime.now) * 1000)
      guard remainingMilliseconds > 0, poll(&descriptorToPoll, 1, remainingMilliseconds) > 0 else {
        return nil
      }
      let received = recv(descriptor, &bytes, bytes.count, 0)
      guard received > 0 else { return nil }
      buffer.append(bytes[..<received])
    }
  }
}
