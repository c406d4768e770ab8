import Dispatch
import Glibc

/// SIGHUP, which asks the program to load its feed again. Handled by the demo and not by the library, because signals
/// belong to the program.
nonisolated enum HangupSignal {
  /// The meaning of a signal.
  enum Meaning: Equatable {
    /// Load the feed again.
    case reload
    /// The terminal was closed.
    case quit
    case nothing

    /// Interprets a signal. The kernel and the shell send the same signal as `kill -HUP` when a terminal is closed.
    ///
    /// - Parameters:
    ///   - isIgnored: True if the signal was ignored when the program was started, for example by `nohup`.
    ///   - hadTerminal: True if the program was started from a terminal.
    ///   - hasTerminal: True if the program still has a terminal.
    init(isIgnored: Bool, hadTerminal: Bool, hasTerminal: Bool) {
      guard hadTerminal, !hasTerminal else {
        self = .reload
        return
      }
      self = isIgnored ? .nothing : .quit
    }
  }

  /// Blocks the signal in the calling thread and in the threads that it starts, so that the signal waits for `watch`.
  /// Called before other threads start.
  static func block() {
    var signals = Signals.set(of: [SIGHUP])
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  /// Calls `handler` on the main actor for each signal from now on. Takes a thread, which sleeps.
  static func watch(_ handler: @escaping @MainActor @Sendable (Meaning) -> Void) {
    let watch = Unmanaged.passRetained(Watch(handler))
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { pointer in
        if let pointer { Unmanaged<Watch>.fromOpaque(pointer).takeRetainedValue().run() }
        return nil
      }, watch.toOpaque())
    if code == 0 { pthread_detach(thread) } else { watch.release() }
  }

  /// True if the process has a terminal. The kernel takes the terminal away before it sends the signal.
  private static var hasTerminal: Bool {
    let terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
    guard terminal >= 0 else { return false }
    close(terminal)
    return true
  }

  /// The work of the thread.
  private final class Watch: Sendable {
    private let handler: @MainActor @Sendable (Meaning) -> Void
    private let isIgnored = Signals.isIgnored(SIGHUP)
    private let hadTerminal = HangupSignal.hasTerminal

    init(_ handler: @escaping @MainActor @Sendable (Meaning) -> Void) { self.handler = handler }

    func run() {
      var signals = Signals.set(of: [SIGHUP])
      var signal: Int32 = 0
      while sigwait(&signals, &signal) == 0 {
        let meaning = Meaning(
          isIgnored: isIgnored, hadTerminal: hadTerminal, hasTerminal: HangupSignal.hasTerminal)
        DispatchQueue.main.async { [handler] in MainActor.assumeIsolated { handler(meaning) } }
      }
    }
  }
}
