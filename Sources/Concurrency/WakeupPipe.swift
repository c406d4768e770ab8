import Glibc

/// A wake-up signal for a thread that blocks in `poll`. Can be rung from any thread. Built on a socket pair.
package final class WakeupPipe: Sendable {
  /// The file descriptor that becomes readable when the pipe is rung; its reader passes it to `poll`.
  package let descriptor: Int32
  /// The file descriptor for `ring(_:)`.
  package let bell: Int32

  /// Returns `nil` if the process has no file descriptor left.
  package init?() {
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
  package func ring() { Self.ring(bell) }

  /// Rings the pipe with this `bell`. May be called by a signal handler, which cannot retain an object.
  package static func ring(_ bell: Int32) {
    var byte: UInt8 = 0
    send(bell, &byte, 1, Int32(MSG_NOSIGNAL))
  }

  /// Discards the pending wake-ups, so that `descriptor` is no longer readable. Returns true if there were any.
  @discardableResult
  package func silence() -> Bool {
    var bytes = [UInt8](repeating: 0, count: 64)
    var count = recv(descriptor, &bytes, bytes.count, 0)
    let isRung = count > 0
    while count == bytes.count { count = recv(descriptor, &bytes, bytes.count, 0) }
    return isRung
  }
}
