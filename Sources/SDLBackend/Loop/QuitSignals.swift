import Glibc
import Synchronization

/// The end of a pipe that the signal handler writes to; -1 without one.
///
/// The handler may run at any time on any thread, where only an atomic can be read.
private let wakeDescriptor = Atomic<Int32>(-1)

/// SIGINT and SIGTERM as a descriptor to wait for.
///
/// SDL's own handlers set a flag that is looked at when events are pumped; a loop that sleeps would miss it. A signal
/// that the program handles itself, or ignores, is left alone, as SDL does.
@MainActor
final class QuitSignals {
  /// Readable once a signal has come.
  let descriptor: Int32
  private let writeEnd: Int32
  private var previous: [(signal: Int32, action: sigaction)] = []
  private var isOpen = true

  init() {
    var ends: [Int32] = [-1, -1]
    if pipe(&ends) == 0 {
      for end in ends {
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
      }
    }
    descriptor = ends[0]
    writeEnd = ends[1]
    wakeDescriptor.store(writeEnd, ordering: .releasing)
    for signal in [SIGINT, SIGTERM] {
      var old = sigaction()
      sigaction(signal, nil, &old)
      guard old.__sigaction_handler.sa_handler == nil else { continue }
      var new = sigaction()
      new.__sigaction_handler.sa_handler = { _ in
        let saved = errno
        var byte: UInt8 = 1
        _ = write(wakeDescriptor.load(ordering: .acquiring), &byte, 1)
        errno = saved
      }
      new.sa_flags = SA_RESTART
      sigaction(signal, &new, nil)
      previous.append((signal, old))
    }
  }

  isolated deinit { close() }

  /// Gives the signals back to whoever had them. A second call does nothing: by then they may be another host's.
  func close() {
    guard isOpen else { return }
    isOpen = false
    for (signal, var action) in previous { sigaction(signal, &action, nil) }
    // Another host may have put its own descriptor there.
    _ = wakeDescriptor.compareExchange(expected: writeEnd, desired: -1, ordering: .acquiringAndReleasing)
    for end in [descriptor, writeEnd] where end >= 0 { _ = Glibc.close(end) }
  }

  /// Whether a signal has come since the last call.
  func take() -> Bool {
    var bytes = [UInt8](repeating: 0, count: 16)
    return isOpen && descriptor >= 0 && read(descriptor, &bytes, bytes.count) > 0
  }
}
