import Glibc
import VitrineConcurrency

/// Reports when the machine has joined a network: a connected interface has an address that it did not have before.
///
/// A thread sleeps until the kernel reports a change of an interface or an address (rtnetlink(7)), and then compares
/// the machine's addresses with the earlier ones. Most reports are not a new network: a router renews the lifetime of
/// an address again and again, and a radio link reports each scan.
package final class NetworkMonitor: Sendable {
  /// The number of milliseconds after a change at which the addresses are compared. By then, the routes that are set up
  /// with an address exist.
  private static let delay: Int32 = 250

  private let watch: DescriptorWatch

  /// Starts the thread. Returns `nil` if the process cannot open a netlink socket.
  ///
  /// - Parameter onReturn: Called on the monitor's thread, any number of times until the monitor is released.
  package convenience init?(onReturn: @escaping @Sendable () -> Void) {
    guard let socket = Self.netlinkSocket() else { return nil }
    self.init(
      socket: socket, delay: Self.delay, addresses: { InterfaceAddress.connected }, onReturn: onReturn)
  }

  /// Takes ownership of a socket that receives a message for each change.
  init?(
    socket: Int32, delay: Int32, addresses: @escaping @Sendable () -> Set<InterfaceAddress>,
    onReturn: @escaping @Sendable () -> Void
  ) {
    let known = Shared(addresses())
    let watch = DescriptorWatch(socket, delay: delay) { _ in
      guard Self.dropMessages(of: socket) else { return false }
      let current = addresses()
      let isNew = known.withLock { known in
        defer { known = current }
        return !current.isSubset(of: known)
      }
      if isNew { onReturn() }
      return true
    }
    guard let watch else { return nil }
    self.watch = watch
  }

  /// Receives and ignores all waiting messages. Returns false if the socket is of no more use.
  private static func dropMessages(of socket: Int32) -> Bool {
    var byte: UInt8 = 0
    while true {
      // One byte suffices: `recv` discards the rest of a message that exceeds the buffer.
      let received = recv(socket, &byte, 1, Int32(MSG_DONTWAIT))
      if received == 0 { return false }
      guard received < 0 else { continue }
      if errno == EAGAIN { return true }
      // ENOBUFS: the kernel had more messages than the socket can hold.
      guard errno == EINTR || errno == ENOBUFS else { return false }
    }
  }

  /// Opens a socket for messages about interfaces and addresses (RTMGRP_LINK, RTMGRP_IPV4_IFADDR, RTMGRP_IPV6_IFADDR).
  private static func netlinkSocket() -> Int32? {
    let descriptor = socket(AF_NETLINK, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    // The fields of sockaddr_nl: family, padding, port, groups.
    var address: (UInt16, UInt16, UInt32, UInt32) = (UInt16(AF_NETLINK), 0, 0, 0x1 | 0x10 | 0x100)
    let size = socklen_t(MemoryLayout.size(ofValue: address))
    let result = withUnsafeBytes(of: &address) { bytes in
      bytes.withMemoryRebound(to: sockaddr.self) { bind(descriptor, $0.baseAddress, size) }
    }
    guard result == 0 else {
      close(descriptor)
      return nil
    }
    return descriptor
  }
}
