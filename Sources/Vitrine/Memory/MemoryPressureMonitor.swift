import Glibc
import Synchronization
import VitrineGraphics

/// Tells a ledger's holders when the machine, or the control group of the process, is short of memory.
///
/// The kernel is asked when pictures are decoded, at most once a second, and says so by itself where it has pressure
/// stall information. A program that is idle is not woken.
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

  /// Watches for a ledger from now on, and as long as that lives; one that is watched already stays what it is.
  ///
  /// - Parameters:
  ///   - root: the folder that has /proc and /sys; of this machine by default.
  ///   - clock: nanoseconds.
  static func watch(
    _ ledger: MemoryLedger, root: String = "", clock: @escaping @Sendable () -> Int64 = Trace.systemTime
  ) {
    ledger.watch {
      let monitor = MemoryPressureMonitor(ledger, KernelFiles(root: root), clock)
      return { monitor.lookAround() }
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

  /// Asks the kernel, unless it was asked less than a second ago.
  func lookAround() {
    let now = clock()
    let isDue = state.withLock { state in
      // A clock that was set back must not end it for ever.
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
    if let pressure { ledger?.relieve(pressure) }
  }
}
