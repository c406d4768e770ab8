import Glibc
import Synchronization
import Vitrine

/// Ctrl-C, SIGTERM and a closed terminal during a tool. The tool looks at `isRequested` between two steps and then ends
/// by itself; a second Ctrl-C or SIGTERM ends the process at once.
nonisolated final class Interruption: Sendable {
  private struct State {
    var isRequested = false
    var handler: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())
  /// Readable once an interruption was requested, for a tool that waits for input; `nil` if there is no descriptor.
  private let pipe = WakeupPipe()

  var isRequested: Bool { state.withLock { $0.isRequested } }
  var descriptor: Int32 { pipe?.descriptor ?? -1 }

  /// Receives the signals from now on. Call this before other threads are started, which inherit the blocked signals:
  /// a signal that is delivered to a thread where it is not blocked ends the process.
  ///
  /// Signals that were ignored when the program was started stay ignored: SIGHUP by `nohup`, and SIGINT in a job that a
  /// shell script runs in the background.
  static func begin() -> Interruption {
    let interruption = Interruption()
    let received = [SIGINT, SIGTERM, SIGHUP].filter { !Signals.isIgnored($0) }
    var signals = Signals.set(of: received)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    BlockingThread.start {
      var signals = Signals.set(of: received)
      while true {
        var signal: Int32 = 0
        guard sigwait(&signals, &signal) == 0 else { continue }
        // The kernel and the shell may both send SIGHUP when a terminal is closed.
        if !interruption.request(), signal != SIGHUP { _exit(1) }
      }
    }
    return interruption
  }

  /// Calls `handler` once when an interruption is requested, on a thread of its own; before this call returns if the
  /// interruption was requested earlier.
  func whenRequested(_ handler: @escaping @Sendable () -> Void) {
    let isLate = state.withLock { state in
      if !state.isRequested { state.handler = handler }
      return state.isRequested
    }
    if isLate { handler() }
  }

  /// The time in microseconds after which an interrupted tool counts as blocked.
  private static let patience: UInt32 = 2_000_000

  /// Ends the process if the tool does not end by itself within two seconds after an interruption is requested, because
  /// it waits for another program at a pipe.
  func endProcessIfBlocked() {
    whenRequested {
      // The thread that waits for signals goes on.
      BlockingThread.start {
        usleep(Self.patience)
        ToolConsole.endInterrupted()
      }
    }
  }

  /// Takes `endProcessIfBlocked` back, unless an interruption was requested.
  func keepProcess() { whenRequested {} }

  /// Requests the interruption. Returns false if it was requested before.
  @discardableResult
  func request() -> Bool {
    let (isFirst, handler) = state.withLock { state in
      defer { (state.isRequested, state.handler) = (true, nil) }
      return (!state.isRequested, state.handler)
    }
    guard isFirst else { return false }
    pipe?.ring()
    handler?()
    return true
  }
}
