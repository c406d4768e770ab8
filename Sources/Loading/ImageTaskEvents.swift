import Synchronization

extension ImageTask {
  /// A queue of events for one listener. Its memory is bounded even if the listener is slow.
  ///
  /// Only the newest progress and the newest preview are kept. Of the other events the newest `limit` are kept. The
  /// outcome is never dropped.
  struct EventQueue {
    /// The maximum number of events in the queue, without the outcome.
    static let limit = 64

    private var events: [Event] = []
    private(set) var isFinished = false

    var isEmpty: Bool { events.isEmpty }

    mutating func append(_ event: Event) {
      guard !isFinished else { return }
      switch event {
      case .progress: events.removeAll { if case .progress = $0 { true } else { false } }
      case .preview: events.removeAll { if case .preview = $0 { true } else { false } }
      case .finished: isFinished = true
      case .response, .transferred, .willRetry, .paused, .resumed: break
      }
      if events.count >= Self.limit, !isFinished { events.removeFirst() }
      events.append(event)
    }

    mutating func takeFirst() -> Event? { events.isEmpty ? nil : events.removeFirst() }
  }

  /// A subscriber of a task that stores the events for one event stream.
  final class Listener: Sendable {
    private struct State {
      var queue = EventQueue()
      /// The readers that wait for an event; one, unless tasks share a stream.
      var waiting: [CheckedContinuation<Event?, Never>] = []
      var isCancelled = false
    }

    private let state = Mutex(State())

    func yield(_ event: Event) {
      let (readers, next) = state.withLock { state -> ([CheckedContinuation<Event?, Never>], Event?) in
        guard !state.isCancelled else { return ([], nil) }
        state.queue.append(event)
        guard !state.waiting.isEmpty else { return ([], nil) }
        let next = state.queue.takeFirst()
        guard state.queue.isFinished, state.queue.isEmpty else {
          return ([state.waiting.removeFirst()], next)
        }
        defer { state.waiting = [] }
        return (state.waiting, next)
      }
      // Only the first reader gets the event. After the last event, the other readers get the end.
      for (index, reader) in readers.enumerated() { reader.resume(returning: index == 0 ? next : nil) }
    }

    /// Returns the next event, and waits if there is none; nil after the outcome, or when the reading task is
    /// cancelled.
    func next() async -> Event? {
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let known = state.withLock { state -> Event?? in
            if let event = state.queue.takeFirst() { return event }
            if state.queue.isFinished || state.isCancelled { return .some(nil) }
            state.waiting.append(continuation)
            return nil
          }
          if let known { continuation.resume(returning: known) }
        }
      } onCancel: {
        cancel()
      }
    }

    private func cancel() {
      let waiting = state.withLock { state in
        state.isCancelled = true
        defer { state.waiting = [] }
        return state.waiting
      }
      for continuation in waiting { continuation.resume(returning: nil) }
    }
  }

  /// The reading end of an event stream. Its release ends the subscription.
  final class EventReader: Sendable {
    private let listener: Listener
    private let onEnd: @Sendable () -> Void

    /// - Parameter onEnd: Called when the stream has been released.
    init(_ listener: Listener, onEnd: @escaping @Sendable () -> Void) {
      self.listener = listener
      self.onEnd = onEnd
    }

    deinit { onEnd() }

    /// Returns the next event; see `Listener.next()`.
    func next() async -> Event? { await listener.next() }
  }
}
