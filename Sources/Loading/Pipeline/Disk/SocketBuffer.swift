import Glibc

/// A copy of bytes in the receive queue of a socket, which is closed with the last reference to the copy.
///
/// The kernel does not map the memory of a queue into the process, and does not clear it unless `init_on_alloc` is set.
/// Copying 200 bodies of 250 KB takes 0.6 times the processor time of `HeldPages`. Each copy has one file descriptor.
final class SocketBuffer: Sendable {
  /// The largest value of `descriptorLimit`. `select(2)` takes only descriptors below 1024; half of them are left to
  /// other code of the process.
  static let largestDescriptorLimit: Int32 = 512

  /// The file descriptor of the socket that has received the bytes.
  let descriptor: Int32
  private let count: Int

  /// Copies bytes.
  ///
  /// Returns nil if `bytes` is empty, if the kernel has no memory or no file descriptor, or if the bytes do not fit into
  /// the send buffer of a socket. The largest send buffer is twice `wmem_max` (socket(7)): 416 KiB by default, 8 MiB since
  /// Linux 6.18.
  ///
  /// - Parameter descriptorLimit: The number below which the file descriptor must be. Otherwise the initializer returns
  ///   nil.
  init?(copying bytes: [UInt8], descriptorLimit: Int32 = SocketBuffer.descriptorLimit) {
    var ends: [Int32] = [-1, -1]
    let kind = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    guard !bytes.isEmpty, socketpair(AF_UNIX, Int32(kind), 0, &ends) == 0 else { return nil }
    let (receiver, sender) = (ends[0], ends[1])
    // The kernel keeps sent bytes until the receiver is closed.
    defer { close(sender) }
    guard receiver < descriptorLimit, bytes.count <= Self.requestSendBuffer(bytes.count, of: sender),
      send(sender, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    else {
      close(receiver)
      return nil
    }
    (descriptor, count) = (receiver, bytes.count)
  }

  deinit { close(descriptor) }

  /// A copy of the bytes; nil if other code of the process has read from the descriptor or closed it by mistake.
  var bytes: [UInt8]? {
    // The descriptor is closed with the last reference, which may be this call's.
    withExtendedLifetime(self) {
      // If the descriptor belongs to another socket by now, nothing is waited for.
      let flags = Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)
      let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, received in
        received = max(0, recv(descriptor, buffer.baseAddress, buffer.count, flags))
      }
      return bytes.count == count ? bytes : nil
    }
  }

  /// The number below which the file descriptors of all copies are: half of the number of file descriptors that the
  /// process may open, at most `largestDescriptorLimit`. The rest of the program can use the others.
  static var descriptorLimit: Int32 {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
    return min(Int32(clamping: limit.rlim_cur / 2), largestDescriptorLimit)
  }

  /// Requests a send buffer for `count` bytes. Returns the size in bytes that the kernel has set: it clamps the size to
  /// `wmem_max`, and doubles it because its own data need space as well.
  static func requestSendBuffer(_ count: Int, of socket: Int32) -> Int {
    var size = Int32(clamping: count)
    var length = socklen_t(MemoryLayout.size(ofValue: size))
    setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &size, length)
    guard getsockopt(socket, SOL_SOCKET, SO_SNDBUF, &size, &length) == 0 else { return 0 }
    return Int(size)
  }
}
