import Glibc

/// The signals of a process: sets of them, and those that the process was told to ignore.
nonisolated enum Signals {
  /// Returns a set for `pthread_sigmask` and `sigwait`.
  static func set(of members: [Int32]) -> sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in members { sigaddset(&signals, signal) }
    return signals
  }

  /// Returns true if the signal was ignored when the program was started, for example SIGHUP by `nohup`, and the
  /// program has not changed that.
  static func isIgnored(_ signal: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(signal, nil, &action) == 0 else { return false }
    // SIG_IGN is the address 1, and SIG_DFL the address 0.
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
  }
}
