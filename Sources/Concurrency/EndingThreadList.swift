/// The decisions of `EndingThreads`: which thread joins which. It has no side effects.
struct EndingThreadList<Thread: Equatable> {
  /// The next action of a caller that waits for all threads.
  enum Step: Equatable {
    case join(Thread)
    /// All threads have ended, except the caller itself.
    case finish
    /// Threads are still running, and the time is over.
    case giveUp
  }

  /// The running threads whose stoppers do not wait. Each is joined by the thread that ends after it.
  private var unattended: [Thread] = []
  /// The threads that their stoppers join.
  private var attended: [Thread] = []
  /// The thread that ended last, which joins the thread that ended before.
  private var last: Thread?

  /// The number of threads that are not joined yet.
  var count: Int { unattended.count + attended.count + (last == nil ? 0 : 1) }

  /// Adds a running thread that is about to be told to end. The stopper does not wait for the thread.
  mutating func willEnd(_ thread: Thread) { unattended.append(thread) }

  /// Adds a running thread that is about to be told to end, and that the stopper then joins.
  mutating func willJoin(_ thread: Thread) { attended.append(thread) }

  /// Removes a thread that its stopper has joined.
  mutating func didJoin(_ thread: Thread) { Self.remove(thread, from: &attended) }

  /// Notes that a thread is about to return from its function. Returns the thread that it must join first; `nil` for
  /// none.
  mutating func willReturn(_ thread: Thread) -> Thread? {
    guard Self.remove(thread, from: &unattended) else { return nil }
    defer { last = thread }
    return last
  }

  /// Returns the next action of a caller that waits for all threads; `nil` to wait for a change.
  mutating func nextStep(of caller: Thread, isLate: Bool) -> Step? {
    if let ended = last {
      last = nil
      return .join(ended)
    }
    guard (unattended + attended).contains(where: { $0 != caller }) else { return .finish }
    return isLate ? .giveUp : nil
  }

  @discardableResult
  private static func remove(_ thread: Thread, from threads: inout [Thread]) -> Bool {
    guard let index = threads.firstIndex(of: thread) else { return false }
    threads.remove(at: index)
    return true
  }
}
