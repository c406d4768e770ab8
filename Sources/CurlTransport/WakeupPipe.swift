import Glibc

/// A wake-up signal for a thread that blocks in `poll`. Can be rung from any thread. Built on a socket pair.
final class WakeupPipe: Sendable {
  /// The file descriptor that becomes readable when the alarm is rung; its reader passes it to `poll`.
  let descriptor: Int32
  private let bell: Int32

  /// Returns `nil` if the process has no file descriptor left.
  init?() {
    var ends: [Int32] = [-1, -1]
    let kind = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    guard socketpair(AF_UNIX, Int32(kind), 0, &ends) == 0 else { return nil }
    (descriptor, bell) = (ends[0], ends[1])
  }

  deinit {
    close(descriptor)
    close(bell)
  }

  /// Wakes the polling thread. A full socket buffer is no error: the descriptor is readable already.
  func ring() {
    var byte: UInt8 = 0
    send(bell, &byte, 1, Int32(MSG_NOSIGNAL))
  }

  /// Discards the pending wake-ups, so that `descriptor` is no longer readable.
  func silence() {
    var bytes = [UInt8](repeating: 0, count: 64)
    while recv(descriptor, &bytes, bytes.count, 0) == bytes.count {}
  }
}
