import Glibc
import Synchronization

/// The write end of the pipe to which the signal handler writes; -1 if there is none.
///
/// The handler may run at any time on any thread, where only an atomic can be read.
private let wakeDescriptor = Atomic<Int32>(-1)

/// SIGINT and SIGTERM as a descriptor to poll.
///
/// SDL's own handlers set a flag that is checked when events are pumped; a sleeping loop would miss the signal. Signals
/// that the program handles itself or ignores are left alone, as in SDL.
@MainActor
final class QuitSignals {
  /// The read end of the pipe, readable after a signal has arrived.
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

  /// Restores the previous signal handlers. Further calls do nothing, because the signals may then belong to another
  /// host.
  func close() {
    guard isOpen else { return }
    isOpen = false
    for (signal, var action) in previous { sigaction(signal, &action, nil) }
    // The exchange fails if another host has already stored its own descriptor.
    _ = wakeDescriptor.compareExchange(expected: writeEnd, desired: -1, ordering: .acquiringAndReleasing)
    for end in [descriptor, writeEnd] where end >= 0 { _ = Glibc.close(end) }
  }

  /// Returns true if a signal has arrived since the last call.
  func consumeSignal() -> Bool {
    var bytes = [UInt8](repeating: 0, count: 16)
    return isOpen && descriptor >= 0 && read(descriptor, &bytes, bytes.count) > 0
  }
}
