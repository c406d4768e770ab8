import Glibc
import Synchronization
import Vitrine

/// Ctrl-C and SIGTERM during a tool. The tool looks at `isRequested` between two steps and then ends by itself; a
/// second signal ends the process at once.
nonisolated final class Interruption: Sendable {
  private let requested = Atomic(false)
  /// Readable once an interruption was requested, for a tool that waits for input; `nil` if there is no descriptor.
  private let pipe = WakeupPipe()

  var isRequested: Bool { requested.load(ordering: .relaxed) }
  var descriptor: Int32 { pipe?.descriptor ?? -1 }

  /// Receives the signals from now on. Call this before other threads are started, which inherit the blocked signals.
  ///
  /// - Parameter handler: Called on a thread of its own at the first signal.
  static func begin(_ handler: @escaping @Sendable () -> Void = {}) -> Interruption {
    let interruption = Interruption()
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in [SIGINT, SIGTERM] { sigaddset(&signals, signal) }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    BlockingThread.start {
      while true {
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in [SIGINT, SIGTERM] { sigaddset(&signals, signal) }
        var signal: Int32 = 0
        guard sigwait(&signals, &signal) == 0 else { continue }
        if interruption.isRequested { _exit(1) }
        interruption.requested.store(true, ordering: .relaxed)
        interruption.pipe?.ring()
        handler()
      }
    }
    return interruption
  }
}
