import Glibc
import VitrineLoading

/// Waits on a thread of its own until the kernel reports that processes wait for memory (PSI). The thread sleeps
/// otherwise.
nonisolated final class StallTrigger: Sendable {
  /// The trigger: 200 ms of stall within 2 s, the shortest window that is open to users other than root.
  private static let threshold = "some 200000 2000000\0"

  private let pressure: Int32
  /// A pipe that ends the thread when a byte is written.
  private let end: (read: Int32, write: Int32)

  /// Returns `nil` if the kernel does not offer the trigger, or not to this user.
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

  /// Takes ownership of a descriptor that reports `POLLPRI` when memory is short.
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

  /// Calls `body` on a new thread for each stall, until `stop()` or until the watched control group is removed.
  func start(_ body: @escaping @Sendable () -> Void) {
    BlockingThread.start { [self] in
      while waits() { body() }
    }
  }

  /// Ends the thread, without waiting for its end.
  func stop() {
    var byte: UInt8 = 0
    _ = write(end.write, &byte, 1)
  }

  /// Blocks until memory is short. Returns false if the thread should end.
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
