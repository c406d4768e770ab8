import Glibc
import Synchronization
import VitrineLoading

/// Calls somebody when the machine has come to a network: a cable, a radio or an address is there that was not.
///
/// A thread of its own sleeps until the kernel has something to say; nothing wakes it otherwise. Where the kernel has no
/// netlink for the process, nobody is ever called.
nonisolated final class NetworkMonitor: Sendable {
  /// The one of the process's downloader.
  private static let current = Mutex<NetworkMonitor?>(nil)

  /// Has `downloader` hear of it, and no other from now on.
  static func watch(for downloader: ImageDownloader) {
    let monitor = NetworkMonitor { [weak downloader] in downloader?.networkReturned() }
    let old = current.withLock { current in
      defer { current = monitor }
      return current
    }
    _ = old  // goes here, outside the lock
  }

  /// Closing it ends the thread.
  private let lifeline: Int32

  /// - Parameters:
  ///   - socket: what the kernel's messages are read from, closed at the end; a netlink socket by default.
  ///   - onReturn: called on the monitor's thread, any number of times until the monitor goes.
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
        // More was said than was read in time: something has changed, whatever it was.
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

  /// Hears of interfaces and addresses (RTMGRP_LINK, RTMGRP_IPV4_IFADDR, RTMGRP_IPV6_IFADDR).
  private static func netlinkSocket() -> Int32? {
    let descriptor = socket(AF_NETLINK, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    // sockaddr_nl: family, padding, port, groups.
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
