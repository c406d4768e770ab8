import Glibc
import Synchronization
import VitrineGraphics

/// Notifies a ledger when the machine, or a control group of the process, is short of memory.
///
/// The kernel's figures are read before images are decoded, at most once a second, and when the kernel reports a memory
/// stall (PSI). An idle program is not woken otherwise.
nonisolated final class MemoryPressureMonitor: Sendable {
  private static let interval: Int64 = 1_000_000_000

  private struct State {
    var decider = PressureDecider()
    var nextLook = Int64.min
  }

  private let files: KernelFiles
  private let groups: [ControlGroup]
  private let clock: @Sendable () -> Int64
  private let state = Mutex(State())
  private let trigger: StallTrigger?
  private weak let ledger: MemoryLedger?

  /// Starts to watch for a ledger, until the ledger is released. A ledger that is already watched keeps its monitor.
  ///
  /// - Parameters:
  ///   - root: The folder that contains /proc and /sys; empty, the default, for those of this machine.
  ///   - clock: Returns a monotonic time in nanoseconds.
  static func watch(
    _ ledger: MemoryLedger, root: String = "", clock: @escaping @Sendable () -> Int64 = Trace.systemTime
  ) {
    ledger.setPressureCheck {
      let monitor = MemoryPressureMonitor(ledger, KernelFiles(root: root), clock)
      return { monitor.checkPressure() }
    }
  }

  init(
    _ ledger: MemoryLedger, _ files: KernelFiles, _ clock: @escaping @Sendable () -> Int64,
    trigger: StallTrigger? = nil
  ) {
    self.ledger = ledger
    self.files = files
    self.clock = clock
    groups = ControlGroup.all(files)
    let paths = [groups.first?.pressureFile].compactMap { $0 } + ["/proc/pressure/memory"]
    self.trigger = trigger ?? paths.lazy.compactMap { StallTrigger(files.root + $0) }.first
    self.trigger?.start { [weak self] in self?.look(isStalled: true) }
  }

  deinit { trigger?.stop() }

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
