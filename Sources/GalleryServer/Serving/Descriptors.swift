import Glibc

/// Opens a non-blocking socket that listens on 127.0.0.1. Port 0 chooses a free port. Returns the socket and its port.
package func listen(onPort port: UInt16) throws(GalleryServerError) -> (descriptor: Int32, port: UInt16) {
  let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
  let descriptor = socket(AF_INET, type, 0)
  guard descriptor >= 0 else { throw .cannotListen(port: port, code: errno) }
  setOption(SOL_SOCKET, SO_REUSEADDR, 1, of: descriptor)
  var address = loopback(port)
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  let succeeded = withUnsafeMutablePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
      bind(descriptor, generic, length) == 0 && listen(descriptor, SOMAXCONN) == 0
        && getsockname(descriptor, generic, &length) == 0
    }
  }
  guard succeeded else {
    let code = errno
    close(descriptor)
    throw .cannotListen(port: port, code: code)
  }
  return (descriptor, UInt16(bigEndian: address.sin_port))
}

/// Opens a connection to a port of 127.0.0.1. Returns `nil` if that fails.
package func connect(toPort port: UInt16) -> Int32? {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
  guard descriptor >= 0 else { return nil }
  var address = loopback(port)
  let isConnected = withUnsafeMutablePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
      connect(descriptor, generic, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
    }
  }
  guard isConnected else {
    close(descriptor)
    return nil
  }
  return descriptor
}

private func loopback(_ port: UInt16) -> sockaddr_in {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
  return address
}

/// Makes the descriptor non-blocking and close-on-exec.
func makeNonblocking(_ descriptor: Int32) {
  _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
  _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
}

/// Sets a socket option whose value is a number.
func setOption(_ level: Int32, _ option: Int32, _ value: Int32, of descriptor: Int32) {
  var value = value
  setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
}

/// The time of the monotonic clock in nanoseconds.
func monotonicNow() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Returns the timeout for `poll` in milliseconds, rounded up so that `deadline` has passed when `poll` returns; -1 (no
/// timeout) for `nil`.
func pollTimeout(until deadline: UInt64?) -> Int32 {
  guard let deadline else { return -1 }
  let now = monotonicNow()
  guard deadline > now else { return 0 }
  return Int32(clamping: (deadline - now + 999_999) / 1_000_000)
}
