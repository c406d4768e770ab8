import Glibc
import VitrineLoading

/// Waits on a thread of its own until the kernel says that processes wait for memory (PSI): nothing wakes up before.
nonisolated final class StallTrigger: Sendable {
  /// Microseconds of waiting in a window of two seconds, the shortest that a user other than root may ask for.
  private static let threshold = "some 200000 2000000\0"

  private let pressure: Int32
  /// A pipe: what is written into the second is the end.
  private let end: (read: Int32, write: Int32)

  /// Nil where the kernel does not offer it, or not to this user.
  convenience init?(_ path: String) {
    let file = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return nil }
    var threshold = Self.threshold
    let isArmed = threshold.withUTF8 { write(file, $0.baseAddress, $0.count) == $0.count }
    guard isArmed else {
      close(file)
      return nil
    }
    self.init(descriptor: file)
  }

  /// Takes a descriptor over that has urgent data when memory is short.
  init?(descriptor: Int32) {
    pressure = descriptor
    var ends: [Int32] = [-1, -1]
    let isOpen = pipe(&ends) == 0
    end = (ends[0], ends[1])
    guard isOpen else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  }

  deinit {
    close(pressure)
    for descriptor in [end.read, end.write] where descriptor >= 0 { close(descriptor) }
  }

  /// Calls `body` each time, until `stop()`, or until what is watched is gone.
  func start(_ body: @escaping @Sendable () -> Void) {
    BlockingThread.start { [self] in
      while waits() { body() }
    }
  }

  /// The thread ends soon.
  func stop() {
    var byte: UInt8 = 0
    _ = write(end.write, &byte, 1)
  }

  /// Whether memory is short; false at the end.
  private func waits() -> Bool {
    var polled = [
      pollfd(fd: pressure, events: Int16(POLLPRI), revents: 0),
      pollfd(fd: end.read, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      let count = poll(&polled, 2, -1)
      if count < 0, errno == EINTR { continue }
      guard count > 0, polled[1].revents == 0, polled[0].revents & Int16(POLLERR | POLLHUP | POLLNVAL) == 0
      else {
        return false
      }
      return true
    }
  }
}
