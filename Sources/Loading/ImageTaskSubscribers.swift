import VitrineConcurrency

extension ImageTask {
  /// The subscribers of a load, in one list.
  ///
  /// Event streams and waiting Swift tasks receive events at once, on the thread of the event. Handlers and observers
  /// are called in turns of the main actor; at most one turn for progress and one for previews is posted at a time.
  ///
  /// A value without a lock of its own: its owner calls the subscribers without the lock, because they may subscribe
  /// and unsubscribe.
  struct Subscribers: Sendable {
    /// The functions that the caller has passed to `load`.
    struct Handlers: Sendable {
      var completion: Completion?
      var progress: ProgressHandler?
      var preview: PreviewHandler?
    }

    enum Subscriber: Sendable {
      /// An event stream, which receives each event at once.
      case stream(Listener)
      /// A Swift task that waits for the outcome and receives the outcome at once.
      case waiter(CheckedContinuation<Outcome, Never>)
      /// A function that is called on the main actor after progress, after `pause()` and `resume()`, and at the end.
      case observer(@MainActor () -> Void)

      fileprivate var isObserver: Bool { if case .observer = self { true } else { false } }
    }

    /// A turn of the main actor, in which handlers and observers are called.
    enum Turn: Sendable { case progress, preview, pause, end }

    /// The receivers of one event.
    struct Delivery: Sendable {
      var handlers = Handlers()
      fileprivate var list = ObserverList<Subscriber>()
      /// The turn that must be posted; nil if no handler and no observer receives the event, or if one is posted.
      var turn: Turn?

      /// Sends an event to the event streams.
      func send(_ event: @autoclosure () -> Event) {
        for case (_, .stream(let listener)) in list.entries { listener.yield(event()) }
      }

      /// Resumes the Swift tasks that wait for the outcome.
      func resume(returning outcome: Outcome) {
        for case (_, .waiter(let continuation)) in list.entries { continuation.resume(returning: outcome) }
      }

      @MainActor func callObservers() {
        for case (_, .observer(let change)) in list.entries { change() }
      }
    }

    /// The handlers of the caller, outside the list so that a load with nothing but a completion allocates no list.
    private var handlers: Handlers
    private var list = ObserverList<Subscriber>()
    private var isProgressPosted = false
    private var isPreviewPosted = false

    init(_ handlers: Handlers) { self.handlers = handlers }

    /// The number of event streams, waiting Swift tasks and observers.
    var count: Int { list.entries.count }

    /// True until the turn in which the completion is called.
    var hasCompletion: Bool { handlers.completion != nil }

    /// Adds a subscriber. Returns the number that removes the subscriber.
    mutating func add(_ subscriber: Subscriber) -> Int { list.add(subscriber) }

    /// Removes a subscriber and returns it, so that its owner releases it after the lock. An unknown number is ignored.
    mutating func remove(_ number: Int) -> Subscriber? { list.remove(number) }

    /// Returns the receivers of an event that has happened. After the end, only handlers and observers remain.
    ///
    /// - Parameter turn: The turn of handlers and observers; nil for an event that only event streams receive.
    mutating func publish(_ turn: Turn?) -> Delivery {
      let delivery = Delivery(list: list, turn: turn.flatMap { post($0) ? $0 : nil })
      // Checked first, because most loads end with nothing to remove.
      if turn == .end, list.entries.contains(where: { !$0.handler.isObserver }) {
        list.removeAll { !$0.isObserver }
      }
      return delivery
    }

    /// Returns the handlers and observers to call in a turn that was posted, and removes them at the end.
    mutating func take(_ turn: Turn) -> Delivery {
      let delivery = Delivery(handlers: handlers, list: turn == .preview ? ObserverList() : list)
      switch turn {
      case .progress: isProgressPosted = false
      case .preview: isPreviewPosted = false
      case .pause: break
      case .end:
        handlers = Handlers()
        list.removeAll()
      }
      return delivery
    }

    /// Returns true if a turn must be posted, and notes that the turn is posted.
    private mutating func post(_ turn: Turn) -> Bool {
      let hasObservers = list.entries.contains { $0.handler.isObserver }
      switch turn {
      case .progress:
        guard !isProgressPosted, hasObservers || handlers.progress != nil else { return false }
        isProgressPosted = true
      case .preview:
        guard !isPreviewPosted, handlers.preview != nil else { return false }
        isPreviewPosted = true
      case .pause: return hasObservers
      case .end:
        return hasObservers || handlers.completion != nil || handlers.progress != nil
          || handlers.preview != nil
      }
      return true
    }
  }
}
