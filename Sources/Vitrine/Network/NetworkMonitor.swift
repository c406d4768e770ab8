import Glibc
import Synchronization
import VitrineLoading

/// Reports when the machine has joined a network: a cable, a radio link or an address is there that was not there
/// before.
///
/// A thread of its own sleeps until the kernel sends a message. If the process cannot open a netlink socket, nothing is
/// reported.
nonisolated final class NetworkMonitor: Sendable {
  /// The monitor of the shared downloader.
  private static let current = Mutex<NetworkMonitor?>(nil)

  /// Reports network changes to `downloader`, and no longer to the previous downloader.
  static func watch(for downloader: ImageDownloader) {
    let monitor = NetworkMonitor { [weak downloader] in downloader?.networkReturned() }
    let old = current.withLock { current in
      defer { current = monitor }
      return current
    }
    _ = old  // deallocated here, outside the lock
  }

  /// A descriptor whose closing ends the thread.
  private let lifeline: Int32

  /// - Parameters:
  ///   - socket: A descriptor from which the kernel's messages are read; a netlink socket by default. Closed when the
  ///     monitor ends.
  ///   - onReturn: Called on the monitor's thread, any number of times until the monitor is released.
  init?(socket: Int32? = NetworkMonitor.netlinkSocket(), onReturn: @escaping @Sendable () -> Void) {
    guard let socket else { return nil }
    var pair: [Int32] = [-1, -1]
    guard pipe(&pair) == 0 else {
      close(socket)
      return nil
    }
    for descriptor in pair { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    lifeline = pair[1]
    let end = pair[0]
    BlockingThread.start {
      Self.listen(on: socket, until: end, onReturn)
      close(socket)
      close(end)
    }
  }

  deinit { close(lifeline) }

  private static func listen(on socket: Int32, until end: Int32, _ onReturn: () -> Void) {
    var changes = NetworkChanges()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16384, alignment: 8)
    defer { buffer.deallocate() }
    var polled = [
      pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
      pollfd(fd: end, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      let count = poll(&polled, 2, -1)
      if count < 0, errno == EINTR { continue }
      guard count > 0, polled[1].revents == 0 else { return }
      let received = recv(socket, buffer.baseAddress, buffer.count, 0)
      if received < 0 {
        // ENOBUFS means that messages were lost, so any change may have happened.
        guard errno == ENOBUFS || errno == EINTR else { return }
        if errno == ENOBUFS {
          changes = NetworkChanges()
          onReturn()
        }
        continue
      }
      guard received > 0 else { return }
      if changes.read(UnsafeRawBufferPointer(rebasing: buffer[..<received])) { onReturn() }
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
