import Glibc

/// Ends the sleep of a thread that polls; rung from any thread.
final class Alarm: Sendable {
  /// Becomes readable when the alarm rings.
  let descriptor: Int32
  private let bell: Int32

  /// Nil when the process has no descriptor left.
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

  /// What does not fit any more has been heard already.
  func ring() {
    var byte: UInt8 = 0
    send(bell, &byte, 1, Int32(MSG_NOSIGNAL))
  }

  func silence() {
    var bytes = [UInt8](repeating: 0, count: 64)
    while recv(descriptor, &bytes, bytes.count, 0) == bytes.count {}
  }
}
