import CTimers
import Glibc

/// Reports each time that the wall clock is set, for example by NTP on a machine without a battery.
///
/// A thread sleeps until the kernel reports a step. If the kernel does not support such timers, nothing is reported.
package final class ClockMonitor: Sendable {
  private let watch: DescriptorWatch

  /// Starts the thread. Returns `nil` if the kernel does not support such timers.
  ///
  /// - Parameter onStep: Called on the monitor's thread for each step until the monitor is released.
  package convenience init?(onStep: @escaping @Sendable () -> Void) {
    guard let timer = Self.timer() else { return nil }
    self.init(timer: timer, onStep: onStep)
  }

  /// Takes ownership of a descriptor that becomes readable when the clock has been set.
  init?(timer: Int32, onStep: @escaping @Sendable () -> Void) {
    let watch = DescriptorWatch(timer) { _ in
      var expirations: UInt64 = 0
      let length = read(timer, &expirations, MemoryLayout.size(ofValue: expirations))
      if length < 0, errno == EINTR || errno == EAGAIN { return true }
      guard length > 0 || length < 0 && errno == ECANCELED else { return false }
      // The timer is armed before the call, so that a step during the call is not missed.
      _ = vitrine_arm_clock_watch(timer)
      onStep()
      return true
    }
    guard let watch else { return nil }
    self.watch = watch
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
