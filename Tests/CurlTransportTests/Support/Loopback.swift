import Glibc

/// Sockets on 127.0.0.1.
enum Loopback {
  /// Returns a TCP socket bound to `port`, by default a free port, or nil if it cannot be bound.
  static func bind(port: UInt16 = 0, sharing: Bool = false) -> (socket: Int32, port: UInt16)? {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var yes: Int32 = 1
    let option = sharing ? SO_REUSEPORT : SO_REUSEADDR
    setsockopt(socket, SOL_SOCKET, option, &yes, socklen_t(MemoryLayout<Int32>.size))
    let result = withAddress(port) { Glibc.bind(socket, $0, $1) }
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) { pointer in
      _ = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &size) }
    }
    guard result == 0 else {
      close(socket)
      return nil
    }
    return (socket, UInt16(bigEndian: address.sin_port))
  }

  /// Connects to `port`. Returns true if the connection is established at once.
  @discardableResult
  static func connect(_ socket: Int32, to port: UInt16) -> Bool {
    withAddress(port) { Glibc.connect(socket, $0, $1) } == 0
  }

  private static func withAddress(
    _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        body(generic, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}
