import CCurl
import Glibc
import VitrineLoading

/// A thread that runs a `TransferLoop`, with the loop's inbox.
struct TransferThread: Sendable {
  let inbox: TransferInbox
  private let thread: pthread_t

  /// Starts a thread that runs a new loop. Returns `nil` if no thread, file descriptor or memory is available.
  static func launch(
    _ settings: TransferSettings
  ) -> TransferThread? {
    guard let loop = TransferLoop(settings) else { return nil }
    let inbox = loop.inbox
    // The loop moves to the new thread, which owns this reference and is the loop's only user from now on.
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

  /// Asks the loop to end, without waiting.
  func stop() {
    inbox.stop()
    pthread_detach(thread)
  }

  /// Asks the loop to end and waits for the thread. On the loop's own thread, returns without waiting.
  func stopAndWait() {
    guard pthread_equal(thread, pthread_self()) == 0 else { return stop() }
    inbox.stop()
    pthread_join(thread, nil)
  }

  /// Blocks signals on this thread, so that the application's threads handle them. SIGPIPE above all: with
  /// `CURLOPT_NOSIGNAL` libcurl does not ignore it, and a closed connection must not end the process.
  private static func blockSignals() {
    var signals = sigset_t()
    sigfillset(&signals)
    for fault in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT] { sigdelset(&signals, fault) }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }
}
