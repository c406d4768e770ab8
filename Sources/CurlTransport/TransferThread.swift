import VitrineConcurrency

/// A thread that runs a `TransferLoop`, with the loop's inbox.
struct TransferThread: Sendable {
  let inbox: TransferInbox
  private let thread: BlockingThread
  private let ending: EndingThreads
  /// The threads that all transports have told to end.
  static let allEnding = EndingThreads()
  /// The maximum time for which `exit` waits, in nanoseconds. A name lookup that does not return may hold a thread.
  private static let exitLimit: Int64 = 1_000_000_000

  /// Starts a thread that runs a new loop. Returns `nil` if no thread, file descriptor or memory is available.
  static func launch(_ settings: TransferSettings, ending: EndingThreads) -> TransferThread? {
    guard let loop = TransferLoop(settings) else { return nil }
    let inbox = loop.inbox
    // The loop moves to the new thread, which is the loop's only user from now on.
    var running: TransferLoop? = loop
    guard
      let thread = try? BlockingThread({
        running?.run()
        // Released before `joinPrevious`, so that the limit of `exit` includes the time for closing the connections.
        running = nil
        ending.joinPrevious()
      })
    else { return nil }
    return TransferThread(inbox: inbox, thread: thread, ending: ending)
  }

  /// Asks the loop to end, without waiting.
  func stop() {
    ending.end(thread) { inbox.stop() }
  }

  /// Asks the loop to end and waits for the thread. On the loop's own thread, returns without waiting.
  func stopAndWait() {
    guard !thread.isCurrent else { return stop() }
    ending.endAndJoin(thread) { inbox.stop() }
  }

  /// Waits until the threads that were told to end have ended. Called when the process exits, before OpenSSL frees the
  /// data that these threads use while they end.
  static func joinAtExit() { allEnding.joinAll(within: exitLimit) }
}
