import FoundationEssentials
import Glibc

/// The connections of this process to a server, as listed in `/proc`.
///
/// Sockets that were open before are not counted: the server of another test may still hold a connection whose client
/// is gone, and the port of that client may belong to a new server by now.
struct OpenSockets {
  private let port: UInt16
  private let earlier: Set<String>

  init(to port: UInt16) throws {
    self.port = port
    earlier = try Self.connections(to: port)
  }

  /// Returns the number of sockets that are connected to the server over IPv4.
  func count() throws -> Int { try Self.connections(to: port).subtracting(earlier).count }

  /// Returns the identities of the sockets that are connected to this port.
  private static func connections(to port: UInt16) throws -> Set<String> {
    let folder = "/proc/self/fd"
    let descriptors = try FileManager.default.contentsOfDirectory(atPath: folder).compactMap(Int32.init)
    return Set(
      descriptors.filter { peer(of: $0) == port }
        .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)") })
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
