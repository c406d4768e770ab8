import Glibc

/// An address of a network interface.
struct InterfaceAddress: Hashable, Sendable {
  let interface: String
  /// The IPv4 or IPv6 address as a number, such as `192.0.2.1`.
  let address: String

  /// The addresses of the interfaces that have a carrier (a cable or a radio link), without those of the machine
  /// itself; empty if the system does not list them.
  static var connected: Set<InterfaceAddress> {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&first) == 0, let first else { return [] }
    defer { freeifaddrs(first) }
    return Set(sequence(first: first, next: { $0.pointee.ifa_next }).compactMap { Self($0.pointee) })
  }

  private init?(_ entry: ifaddrs) {
    let flags = Int(entry.ifa_flags)
    guard flags & Int(IFF_UP) != 0, flags & Int(IFF_RUNNING) != 0, flags & Int(IFF_LOOPBACK) == 0,
      let socketAddress = entry.ifa_addr
    else { return nil }
    let size: Int
    switch Int32(socketAddress.pointee.sa_family) {
    case AF_INET: size = MemoryLayout<sockaddr_in>.size
    case AF_INET6: size = MemoryLayout<sockaddr_in6>.size
    default: return nil
    }
    var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    guard
      getnameinfo(socketAddress, socklen_t(size), &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
    else { return nil }
    interface = String(cString: entry.ifa_name)
    address = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  init(interface: String, address: String) {
    self.interface = interface
    self.address = address
  }
}
