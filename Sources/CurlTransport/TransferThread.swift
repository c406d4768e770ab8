import VitrineConcurrency

/// A thread that runs a `TransferLoop`, with the loop's inbox.
struct TransferThread: Sendable {
  let inbox: TransferInbox
  private let thread: BlockingThread

  /// Starts a thread that runs a new loop. Returns `nil` if no thread, file descriptor or memory is available.
  static func launch(_ settings: TransferSettings) -> TransferThread? {
    guard let loop = TransferLoop(settings) else { return nil }
    let inbox = loop.inbox
    // The loop moves to the new thread, which is the loop's only user from now on.
    guard let thread = try? BlockingThread({ loop.run() }) else { return nil }
    return TransferThread(inbox: inbox, thread: thread)
  }

  /// Asks the loop to end, without waiting.
  func stop() {
    inbox.stop()
    thread.detach()
  }

  /// Asks the loop to end and waits for the thread. On the loop's own thread, returns without waiting.
  func stopAndWait() {
    guard !thread.isCurrent else { return stop() }
    inbox.stop()
    thread.join()
  }
}
