import CTimers
import Glibc
import Synchronization
import VitrineLoading

/// Reports each time that the wall clock is set, for example by NTP on a machine without a battery.
///
/// A thread sleeps until the kernel reports a step. If the kernel does not support such timers, nothing is reported.
nonisolated final class ClockMonitor: Sendable {
  /// The monitor of the shared downloader.
  private static let current = Mutex<ClockMonitor?>(nil)

  /// Reports steps to `downloader`, and no longer to the previous downloader.
  static func watch(for downloader: ImageDownloader) {
    let monitor = ClockMonitor { [weak downloader] in downloader?.clockStepped() }
    let old = current.withLock { current in
      defer { current = monitor }
      return current
    }
    _ = old  // deallocated here, outside the lock
  }

  /// A descriptor whose closing ends the thread.
  private let lifeline: Int32

  /// - Parameters:
  ///   - timer: A descriptor that becomes readable when the clock has been set; a kernel timer by default. Closed when
  ///     the monitor ends.
  ///   - onStep: Called on the monitor's thread for each step until the monitor is released.
  init?(timer: Int32? = ClockMonitor.timer(), onStep: @escaping @Sendable () -> Void) {
    guard let timer else { return nil }
    var pair: [Int32] = [-1, -1]
    guard pipe(&pair) == 0 else {
      close(timer)
      return nil
    }
    for descriptor in pair { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    lifeline = pair[1]
    let end = pair[0]
    BlockingThread.start {
      Self.listen(to: timer, until: end, onStep)
      close(timer)
      close(end)
    }
  }

  deinit { close(lifeline) }

  private static func listen(to timer: Int32, until end: Int32, _ onStep: () -> Void) {
    var polled = [
      pollfd(fd: timer, events: Int16(POLLIN), revents: 0),
      pollfd(fd: end, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      let count = poll(&polled, 2, -1)
      if count < 0, errno == EINTR { continue }
      guard count > 0, polled[1].revents == 0, polled[0].revents & Int16(POLLIN) != 0 else { return }
      var expirations: UInt64 = 0
      let length = read(timer, &expirations, MemoryLayout.size(ofValue: expirations))
      if length < 0, errno == EINTR || errno == EAGAIN { continue }
      guard length > 0 || length < 0 && errno == ECANCELED else { return }
      // The timer is armed before the call, so that a step during the call is not missed.
      _ = vitrine_arm_clock_watch(timer)
      onStep()
    }
  }

  private static func timer() -> Int32? {
    let descriptor = vitrine_open_clock_watch()
    guard descriptor >= 0 else { return nil }
    guard vitrine_arm_clock_watch(descriptor) == 0 else {
      close(descriptor)
      return nil
    }
    return descriptor
  }
}
