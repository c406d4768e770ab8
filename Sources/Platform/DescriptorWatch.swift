import Glibc
import VitrineConcurrency

/// A thread that sleeps until a descriptor is ready, calls a function, and sleeps again, until the watch is released.
final class DescriptorWatch: Sendable {
  /// Rung to end the thread.
  private let end: WakeupPipe

  /// Starts the thread. Returns `nil`, and closes `descriptor`, if the process has no more descriptors.
  ///
  /// - Parameters:
  ///   - descriptor: Closed when the thread ends.
  ///   - events: The events to wait for: `POLLIN` or `POLLPRI`.
  ///   - delay: The number of milliseconds from an event to the call, so that events that follow each other closely
  ///     lead to one call.
  ///   - onReady: Called on the thread with the reported events. Returns false to end the thread.
  init?(
    _ descriptor: Int32, for events: Int32 = POLLIN, delay: Int32 = 0,
    onReady: @escaping @Sendable (_ events: Int32) -> Bool
  ) {
    guard let end = WakeupPipe() else {
      close(descriptor)
      return nil
    }
    self.end = end
    BlockingThread.start {
      withExtendedLifetime(end) {
        Self.watch(descriptor, for: events, delay: delay, until: end.descriptor, onReady)
      }
      close(descriptor)
    }
  }

  deinit { end.ring() }

  private static func watch(
    _ descriptor: Int32, for events: Int32, delay: Int32, until end: Int32, _ onReady: (Int32) -> Bool
  ) {
    var polled = [
      pollfd(fd: end, events: Int16(POLLIN), revents: 0),
      pollfd(fd: descriptor, events: Int16(events), revents: 0),
    ]
    while true {
      let count = poll(&polled, 2, -1)
      if count < 0, errno == EINTR { continue }
      let reported = Int32(polled[1].revents)
      guard count > 0, polled[0].revents == 0, reported & events != 0 else { return }
      if delay > 0, poll(&polled, 1, delay) > 0 { return }
      guard onReady(reported) else { return }
    }
  }
}
