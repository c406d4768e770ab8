/// Joins threads that have been told to end, so that the process can wait for them when it exits.
///
/// After its function has returned, a thread still calls the destructors of its thread-specific data. Those of OpenSSL
/// crash once `exit` has called OpenSSL's cleanup, and only `pthread_join` waits for them. Each thread that ends joins
/// the thread that ended before, so that at most one ended thread is kept.
package final class EndingThreads: Sendable {
  private let list = ConditionLock(EndingThreadList<BlockingThread>())

  package init() {}

  /// The number of threads that were told to end and are not joined yet.
  package var count: Int { list.withLock(waking: .none) { $0.count } }

  /// Calls `stop`, which tells `thread` to end, and returns without waiting. The thread must call `joinPrevious()`, and
  /// the caller must not join or detach the thread.
  package func end(_ thread: BlockingThread, by stop: () -> Void) {
    // Before `stop`, because the thread may end at once.
    list.withLock(waking: .none) { $0.willEnd(thread) }
    stop()
  }

  /// Calls `stop`, which tells `thread` to end, and joins the thread. Must not be called on the thread itself.
  package func endAndJoin(_ thread: BlockingThread, by stop: () -> Void) {
    list.withLock(waking: .none) { $0.willJoin(thread) }
    stop()
    thread.join()
    list.withLock { $0.didJoin(thread) }
  }

  /// Joins the thread that ended before. Each thread calls this when its work is done.
  package func joinPrevious() { list.withLock { $0.willReturn(.current) }?.join() }

  /// Waits for the end of all threads that were told to end, except the calling thread. Returns false if some have not
  /// returned from their work within `limit` nanoseconds. Never waits for threads that were not told to end.
  @discardableResult
  package func joinAll(within limit: Int64) -> Bool {
    let clock = SystemLoadingClock()
    let start = clock.now
    while true {
      let step = list.wait { list in
        list.nextStep(of: .current, isLate: clock.now - start >= limit)
      } timeout: { _ in
        limit - (clock.now - start)
      }
      switch step {
      case .join(let thread): thread.join()
      case .finish: return true
      case .giveUp: return false
      }
    }
  }
}
