import FoundationEssentials
import Glibc

/// The open sockets of this process, as listed in `/proc`.
enum OpenSockets {
  /// Returns the number of sockets that are connected to this port over IPv4.
  static func count(to port: UInt16) throws -> Int {
    let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(
      Int32.init)
    return descriptors.count { peer(of: $0) == port }
  }

  /// Returns the peer port of a socket, or nil if the descriptor is no connected IPv4 socket or was closed meanwhile.
  private static func peer(of descriptor: Int32) -> UInt16? {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &size) }
    }
    guard result == 0, address.sin_family == sa_family_t(AF_INET) else { return nil }
    return UInt16(bigEndian: address.sin_port)
  }
}
