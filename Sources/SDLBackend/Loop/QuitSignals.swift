import Glibc
import Synchronization
import VitrineConcurrency

/// The bell of the pipe that the signal handler rings; -1 if there is none.
///
/// The handler may run at any time on any thread, where only an atomic can be read.
private let currentBell = Atomic<Int32>(-1)

/// SIGINT and SIGTERM as a descriptor to poll.
///
/// SDL's own handlers set a flag that is checked when events are pumped; a sleeping loop would miss the signal. Signals
/// that the program handles itself or ignores are left alone, as in SDL.
@MainActor
final class QuitSignals {
  private var wakeup = WakeupPipe()
  private var previous: [(signal: Int32, action: sigaction)] = []

  /// The descriptor that becomes readable after a signal has arrived; -1 if there is none.
  var descriptor: Int32 { wakeup?.descriptor ?? -1 }

  init() {
    currentBell.store(wakeup?.bell ?? -1, ordering: .releasing)
    for signal in [SIGINT, SIGTERM] {
      var old = sigaction()
      sigaction(signal, nil, &old)
      guard old.__sigaction_handler.sa_handler == nil else { continue }
      var new = sigaction()
      new.__sigaction_handler.sa_handler = { _ in
        let saved = errno
        WakeupPipe.ring(currentBell.load(ordering: .acquiring))
        errno = saved
      }
      new.sa_flags = SA_RESTART
      sigaction(signal, &new, nil)
      previous.append((signal, old))
    }
  }

  isolated deinit { close() }

  /// Restores the previous signal handlers. Further calls do nothing, because the signals may then belong to another
  /// host.
  func close() {
    for (signal, var action) in previous { sigaction(signal, &action, nil) }
    previous = []
    guard let bell = wakeup?.bell else { return }
    // The exchange fails if another host has already stored its own bell.
    _ = currentBell.compareExchange(expected: bell, desired: -1, ordering: .acquiringAndReleasing)
    wakeup = nil
  }

  /// Returns true if a signal has arrived since the last call.
  func consumeSignal() -> Bool { wakeup?.silence() ?? false }
}
