import Synchronization
public import VitrineGraphics

/// One caller's load. The work behind it may be shared with others; what is done here touches only this
/// caller.
///
/// ```swift
/// let task = downloader.load(request) { result in show(result) }
/// task.priority = .high
/// task.cancel()  // the completion hears `.cancelled`, later
/// ```
///
/// A load goes on when its task is let go; to stop it, cancel it.
public final class ImageTask: Cancellable {
  /// How much of the body has come.
  public struct Progress: Hashable, Sendable {
    /// Bytes received so far.
    public let received: Int
    /// Bytes declared by the server; nil if it did not say. Not to be trusted.
    public let expected: Int?

    /// Nothing received of an unknown length, unless said otherwise.
    public init(received: Int = 0, expected: Int? = nil) {
      self.received = received
      self.expected = expected
    }

    /// From 0 to 1; nil when the length is not known.
    public var fraction: Double? {
      guard let expected, expected > 0 else { return nil }
      return min(1, Double(received) / Double(expected))
    }
  }

  /// What becomes of a load, step by step.
  public enum Event: Sendable {
    /// The head of a response has arrived, acceptable or not. If `Configuration.responseModifier` changes the head, the
    /// changed head is reported as well.
    case response(TransportResponse)
    /// More of the body has come.
    case progress(Progress)
    /// What has come so far can be seen, for a request that is `progressive`. Each shows more than the one before, and none
    /// comes after the outcome (YY-F37, SD-F3).
    case partialImage(Image)
    /// A transfer is over, well or not; what it took.
    case transferred(TransportMetrics)
    /// It failed, and is tried again after so many seconds.
    case willRetry(after: Double, ImageError)
    /// `pause()` or `resume()` was called.
    case paused, resumed
    /// The outcome; the last event.
    case finished(Result<ImageResponse, ImageError>)
  }

  /// Hears the outcome, once, on the main actor.
  public typealias Completion = @MainActor (Result<ImageResponse, ImageError>) -> Void
  /// Hears how far it is, on the main actor; not for each chunk of bytes.
  public typealias ProgressHandler = @MainActor (Progress) -> Void
  /// Sees what has come so far, on the main actor; only the newest of what it had no time for.
  public typealias PartialImageHandler = @MainActor (Image) -> Void

  private typealias Outcome = Result<ImageResponse, ImageError>

  private struct State {
    var id: TaskID?
    weak var engine: LoadEngine?
    var priority: ImageRequest.Priority
    var progress = Progress()
    var isReportPosted = false
    var isCancelled = false
    var isPaused = false
    var result: Outcome?
    var completion: Completion?
    var progressHandler: ProgressHandler?
    var partialImage: Image?
    var isPartialImagePosted = false
    var partialImageHandler: PartialImageHandler?
    /// Who else hears of progress and end, by number.
    var observers: [Int: @MainActor () -> Void] = [:]
    var lastObserver = 0
    var waiting: [CheckedContinuation<Outcome, Never>] = []
    var listeners: [Int: WeakListener] = [:]

    /// Whether somebody hears of progress.
    var isWatched: Bool { progressHandler != nil || !observers.isEmpty }
    /// Whether somebody is to be called at the end, or let go.
    var isAwaited: Bool { isWatched || completion != nil || partialImageHandler != nil }
  }

  /// A weak reference: a listener lives as long as its stream.
  private struct WeakListener {
    weak var listener: Listener?
  }

  /// What was asked for.
  public let request: ImageRequest
  /// What it was asked for under; nil is an identifier of its own.
  public let additionalIdentifier: String?
  /// True for a load that no caller waits for: it is not retried and not served by a stale response.
  let isProbe: Bool
  private let state: Mutex<State>

  init(
    _ request: ImageRequest, additionalIdentifier: String?, isProbe: Bool = false,
    progress: ProgressHandler? = nil, partialImage: PartialImageHandler? = nil,
    completion: Completion? = nil
  ) {
    self.request = request
    self.additionalIdentifier = additionalIdentifier
    self.isProbe = isProbe
    state = Mutex(
      State(
        priority: request.priority, completion: completion, progressHandler: progress,
        partialImageHandler: partialImage))
  }

  /// Gives the load up: its completion hears `.cancelled`, once and later. Others who wait for the same
  /// picture are untouched; when nobody is left, the work stops. From the main actor this holds up to the
  /// completion itself: after the call it never hears a success. Cancelling again, or after that, does
  /// nothing.
  public func cancel() {
    let engine = state.withLock { state -> LoadEngine? in
      if state.result != nil {
        if state.completion != nil { state.result = .failure(cancellation) }
        return nil
      }
      state.isCancelled = true
      return state.engine
    }
    engine?.cancel(self)
  }

  /// Where this caller stands in the queue; may be changed while it waits. What is shared has the highest
  /// priority of those who wait for it.
  public var priority: ImageRequest.Priority {
    get { state.withLock { $0.priority } }
    set {
      let engine = state.withLock { state in
        state.priority = newValue
        return state.engine
      }
      engine?.settlePriority(of: self)
    }
  }

  /// Does without the picture for now: its download is stopped, or leaves the queue, when nobody else waits for it.
  ///
  /// What has come of it is kept, and `resume()` asks the server for the rest where that can be done (RFC 9110, 14).
  /// What is here already is decoded and delivered all the same. Pausing twice, or when it is over, does nothing.
  public func pause() { setPaused(true) }

  /// Wants the picture again, after `pause()`.
  public func resume() { setPaused(false) }

  /// Whether it is paused.
  public var isPaused: Bool { state.withLock { $0.isPaused } }

  private func setPaused(_ isPaused: Bool) {
    let (isChange, isObserved, engine) = state.withLock { state -> (Bool, Bool, LoadEngine?) in
      guard state.result == nil, state.isPaused != isPaused else { return (false, false, nil) }
      state.isPaused = isPaused
      return (true, !state.observers.isEmpty, state.engine)
    }
    guard isChange else { return }
    emit(isPaused ? .paused : .resumed)
    engine?.settlePause(of: self)
    if isObserved { Mailbox.main.post { self.notifyObservers() } }
  }

  /// How much has come; nothing while it waits, and for a picture from memory.
  public var progress: Progress { state.withLock { $0.progress } }

  /// What can be seen of the picture so far; nil before there is anything, for a request that is not `progressive`, and once
  /// the outcome is known.
  public var partialImage: Image? { state.withLock { $0.partialImage } }

  /// Whether the outcome is known; the completion may be still on its way to the main actor.
  public var isFinished: Bool { state.withLock { $0.result != nil } }

  /// The outcome, as soon as there is one; may be asked for by several, and again. Cancelling a Swift task
  /// that waits here cancels the load.
  public var response: ImageResponse {
    get async throws(ImageError) {
      let outcome = await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let known = state.withLock { state -> Outcome? in
            if state.result == nil { state.waiting.append(continuation) }
            return state.result
          }
          if let known { continuation.resume(returning: known) }
        }
      } onCancel: {
        cancel()
      }
      return try outcome.get()
    }
  }

  /// What happens to the load from now on, ending with `.finished`; several may listen. At once only that for a load
  /// that is over.
  ///
  /// A slow listener misses old events but always receives the outcome. Only the newest progress and the newest preview
  /// are buffered, and of the other events the newest 64. Ending the stream does not affect the load.
  public var events: AsyncStream<Event> {
    let number = state.withLock { state in
      state.lastObserver += 1
      return state.lastObserver
    }
    let listener = Listener { [weak self] in self?.endListening(number) }
    let outcome = state.withLock { state -> Outcome? in
      if state.result == nil { state.listeners[number] = WeakListener(listener: listener) }
      return state.result
    }
    if let outcome { listener.yield(.finished(outcome)) }
    return AsyncStream { await listener.next() }
  }

  /// The number of event streams that are still in use.
  var listenerCount: Int { state.withLock { $0.listeners.count } }

  private func endListening(_ number: Int) { state.withLock { $0.listeners[number] = nil } }

  // MARK: Observing

  /// Calls `change` on the main actor after progress has been reported, after `pause()` and `resume()`, and after the
  /// completion has been called.
  /// Returns a number for `endObserving`; somebody who comes when all is over hears nothing.
  package func observe(_ change: @escaping @MainActor () -> Void) -> Int {
    state.withLock { state in
      state.lastObserver += 1
      if state.result == nil { state.observers[state.lastObserver] = change }
      return state.lastObserver
    }
  }

  /// Ends the calls of an observer; an unknown number is ignored.
  package func endObserving(_ number: Int) {
    let observer = state.withLock { $0.observers.removeValue(forKey: number) }
    _ = observer  // goes here, outside the lock
  }

  /// Whether it has been given up: its completion hears `.cancelled`, or has heard it.
  package var isCancelled: Bool {
    state.withLock { state in
      if case .failure(.cancelled)? = state.result { true } else { state.isCancelled }
    }
  }

  /// Whether there is a picture; nil until the outcome is known.
  package var hasSucceeded: Bool? {
    state.withLock { state in
      switch state.result {
      case .success?: true
      case .failure?: false
      case nil: nil
      }
    }
  }

  /// The error of this load when it is cancelled, with its URL.
  private var cancellation: ImageError { .cancelledLoad(.init(url: request.url)) }

  // MARK: For the engine

  /// What the engine knows it by now: another one after it has asked again. Read with the engine's lock held.
  var id: TaskID? { state.withLock { $0.id } }

  func isStarted(as id: TaskID, by engine: LoadEngine) {
    state.withLock {
      $0.id = id
      $0.engine = engine
    }
  }

  /// The outcome. The first one counts.
  func settle(_ result: Result<ImageResponse, ImageError>) {
    let (outcome, waiting, listeners, isAwaited, part) = state.withLock { state in
      guard state.result == nil else {
        return (
          result, [CheckedContinuation<Outcome, Never>](), [Listener](), false,
          Image?.none
        )
      }
      let isCancelled = state.isCancelled || result.isCancellation
      let outcome = isCancelled ? .failure(cancellation) : result
      state.result = outcome
      defer {
        state.waiting = []
        state.listeners = [:]
        state.partialImage = nil
      }
      return (
        outcome, state.waiting, state.listeners.values.compactMap(\.listener), state.isAwaited,
        state.partialImage
      )
    }
    _ = part  // goes here, outside the lock
    for continuation in waiting { continuation.resume(returning: outcome) }
    for listener in listeners { listener.yield(.finished(outcome)) }
    if isAwaited { Mailbox.main.post { self.complete() } }
  }

  /// Tells those who listen.
  func emit(_ event: Event) {
    let listeners = state.withLock { $0.listeners.isEmpty ? [] : $0.listeners.values.compactMap(\.listener) }
    for listener in listeners { listener.yield(event) }
  }

  /// More bytes have come. Reports that the main actor has not read yet are replaced.
  func report(_ progress: Progress) {
    let isDue = state.withLock { state in
      state.progress = progress
      guard state.isWatched, !state.isReportPosted else { return false }
      state.isReportPosted = true
      return true
    }
    emit(.progress(progress))
    if isDue { Mailbox.main.post { self.deliverProgress() } }
  }

  /// More of the picture can be seen. What the main actor has not seen yet is replaced; nothing comes after the outcome,
  /// nor to somebody who has cancelled or paused.
  func show(_ partialImage: Image) {
    let (isShown, isDue) = state.withLock { state in
      guard state.result == nil, !state.isCancelled, !state.isPaused else { return (false, false) }
      state.partialImage = partialImage
      guard state.partialImageHandler != nil, !state.isPartialImagePosted else { return (true, false) }
      state.isPartialImagePosted = true
      return (true, true)
    }
    if isShown { emit(.partialImage(partialImage)) }
    if isDue { Mailbox.main.post { self.deliverPartialImage() } }
  }

  @MainActor private func complete() {
    let (completion, result, observers, _) = state.withLock { state in
      defer {
        state.completion = nil
        state.progressHandler = nil
        state.partialImageHandler = nil
        state.observers = [:]
      }
      return (state.completion, state.result, state.observers, state.partialImageHandler)
    }
    if let result { completion?(result) }
    for observer in observers.values { observer() }
  }

  @MainActor private func notifyObservers() {
    for observer in state.withLock({ $0.observers }).values { observer() }
  }

  @MainActor private func deliverProgress() {
    let (handler, progress, observers) = state.withLock { state in
      state.isReportPosted = false
      return (state.isCancelled ? nil : state.progressHandler, state.progress, state.observers)
    }
    handler?(progress)
    for observer in observers.values { observer() }
  }

  @MainActor private func deliverPartialImage() {
    let (handler, image) = state.withLock { state in
      state.isPartialImagePosted = false
      return (state.isCancelled || state.isPaused ? nil : state.partialImageHandler, state.partialImage)
    }
    if let image { handler?(image) }
  }
}

extension Result<ImageResponse, ImageError> {
  /// True for a cancelled load.
  fileprivate var isCancellation: Bool {
    if case .failure(.cancelledLoad) = self { true } else { false }
  }
}
