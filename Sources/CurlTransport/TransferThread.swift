import CCurl
import Glibc
import VitrineLoading

/// A thread that runs a `TransferLoop`, and the inbox that leads there.
struct TransferThread: Sendable {
  let inbox: TransferInbox
  private let thread: pthread_t

  /// Starts a thread with a loop; nil when the system has no thread, descriptor or memory left.
  static func launch(
    _ settings: TransferSettings
  ) -> TransferThread? {
    guard let loop = TransferLoop(settings) else { return nil }
    let inbox = loop.inbox
    // The loop changes hands here: retained for the thread, which is its only user from now on.
    let box = Unmanaged.passRetained(loop)
    var thread = pthread_t()
    let status = pthread_create(
      &thread, nil,
      { box in
        guard let box else { return nil }
        TransferThread.blockSignals()
        Unmanaged<TransferLoop>.fromOpaque(box).takeRetainedValue().run()
        return nil
      }, box.toOpaque())
    guard status == 0 else {
      box.release()
      return nil
    }
    return TransferThread(inbox: inbox, thread: thread)
  }

  /// Asks the loop to end and does not wait for it.
  func stop() {
    inbox.stop()
    pthread_detach(thread)
  }

  /// Asks the loop to end and waits until it has; does not wait on the loop's own thread.
  func stopAndWait() {
    guard pthread_equal(thread, pthread_self()) == 0 else { return stop() }
    inbox.stop()
    pthread_join(thread, nil)
  }

  /// Leaves signals to the application's threads. SIGPIPE above all: told to use no signals, libcurl does
  /// not ignore it, and a closed connection must not end the process.
  private static func blockSignals() {
    var signals = sigset_t()
    sigfillset(&signals)
    for fault in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT] { sigdelset(&signals, fault) }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }
}
