import Glibc
import Synchronization
package import VitrineGraphics

/// Notifies a ledger when the machine, or a control group of the process, is short of memory.
///
/// The kernel's figures are read before images are decoded, at most once a second, and when the kernel reports a memory
/// stall (PSI). An idle program is not woken otherwise.
package final class MemoryPressureMonitor: Sendable {
  private static let interval: Int64 = 1_000_000_000

  private struct State {
    var decider = PressureDecider()
    var nextLook = Int64.min
  }

  private let files: KernelFiles
  private let groups: [ControlGroup]
  private let clock: @Sendable () -> Int64
  private let state = Mutex(State())
  /// Ends its thread when the monitor is released.
  private let stalls = Mutex<DescriptorWatch?>(nil)
  /// `nonisolated(unsafe)` is safe because only the initializer sets the property, and because threads may read a
  /// weak reference at the same time.
  nonisolated(unsafe) private weak var ledger: MemoryLedger?

  /// Starts to watch for a ledger, until the ledger is released. A ledger that is already watched keeps its monitor.
  ///
  /// - Parameters:
  ///   - root: The folder that contains /proc and /sys; empty, the default, for those of this machine.
  ///   - clock: Returns a monotonic time in nanoseconds.
  package static func watch(
    _ ledger: MemoryLedger, root: String = "", clock: @escaping @Sendable () -> Int64 = Trace.systemTime
  ) {
    ledger.setPressureCheck {
      let monitor = MemoryPressureMonitor(ledger, KernelFiles(root: root), clock)
      return { monitor.checkPressure() }
    }
  }

  /// - Parameter trigger: A descriptor that reports `POLLPRI` when memory is short, which the monitor takes ownership
  ///   of; by default, that of the process's control group or of the machine.
  init(
    _ ledger: MemoryLedger, _ files: KernelFiles, _ clock: @escaping @Sendable () -> Int64,
    trigger: Int32? = nil
  ) {
    self.ledger = ledger
    self.files = files
    self.clock = clock
    groups = ControlGroup.all(files)
    let paths = [groups.first?.pressureFile].compactMap { $0 } + ["/proc/pressure/memory"]
    guard let trigger = trigger ?? paths.lazy.compactMap({ StallTrigger.open(files.root + $0) }).first else {
      return
    }
    let watch = DescriptorWatch(trigger, for: POLLPRI) { [weak self] events in
      // The control group was removed.
      guard events & (POLLERR | POLLHUP | POLLNVAL) == 0 else { return false }
      self?.look(isStalled: true)
      return true
    }
    stalls.withLock { $0 = watch }
  }

  /// Reads the kernel's figures, at most once a second.
  func checkPressure() {
    let now = clock()
    let isDue = state.withLock { state in
      // A clock that was set back must not disable the check.
      guard now >= state.nextLook || now < state.nextLook - Self.interval else { return false }
      state.nextLook = now + Self.interval
      return true
    }
    if isDue { look(isStalled: false) }
  }

  private func look(isStalled: Bool) {
    let reading = MemoryReading(files, groups: groups)
    let now = Double(clock()) / 1e9
    let pressure = state.withLock { $0.decider.decide(reading, isStalled: isStalled, at: now) }
    if let pressure { ledger?.handlePressure(pressure) }
  }
}
