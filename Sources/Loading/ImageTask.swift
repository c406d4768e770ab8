import Synchronization
public import VitrineConcurrency
public import VitrineGraphics

/// The load of one caller. Work may be shared with other callers; the methods of a task affect only its own caller.
///
/// ```swift
/// let task = downloader.load(request) { result in show(result) }
/// task.priority = .high
/// task.cancel()  // the completion receives `.cancelled`, later
/// ```
///
/// A load continues if its task is released; call `cancel()` to stop the load.
public final class ImageTask: Cancellable {
  /// The progress of a transfer.
  public struct Progress: Hashable, Sendable {
    /// The number of bytes received so far.
    public let received: Int
    /// The number of bytes declared by the server; `nil` if it declared none. Untrusted.
    public let expected: Int?

    /// Creates a progress, for tests of a progress handler; by default, nothing of an unknown length has been received.
    public init(received: Int = 0, expected: Int? = nil) {
      self.received = received
      self.expected = expected
    }

    /// The received fraction, from 0 to 1; `nil` if the length is unknown or 0.
    public var fraction: Double? {
      guard let expected, expected > 0 else { return nil }
      return min(1, Double(received) / Double(expected))
    }
  }

  /// An event in the course of a load.
  public enum Event: Sendable {
    /// The head of a response has arrived, acceptable or not. If `Configuration.responses.modifier` changes the head,
    /// the changed head is reported as well.
    case response(TransportResponse)
    /// More of the body has arrived.
    case progress(Progress)
    /// A preview of a `progressive` request. Each preview shows more than the one before, and none follows the outcome.
    case preview(Image)
    /// A transfer has ended, successfully or not.
    case transferred(TransportMetrics)
    /// The download has failed, and is retried after this number of seconds.
    case willRetry(after: Double, ImageError)
    /// `pause()` or `resume()` was called.
    case paused, resumed
    /// The outcome, which is the last event.
    case finished(Result<ImageResponse, ImageError>)
  }

  /// A function that receives the outcome, once, on the main actor.
  public typealias Completion = @MainActor (Result<ImageResponse, ImageError>) -> Void
  /// A function that receives the progress, on the main actor; not called for each chunk of bytes.
  public typealias ProgressHandler = @MainActor (Progress) -> Void
  /// A function that receives previews, on the main actor; a newer preview replaces one that was not delivered in time.
  public typealias PreviewHandler = @MainActor (Image) -> Void

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
    var preview: Image?
    var isPreviewPosted = false
    var previewHandler: PreviewHandler?
    /// The observers of progress and end.
    var observers = ObserverList<@MainActor () -> Void>()
    var waiting: [CheckedContinuation<Outcome, Never>] = []
    var listeners: [Int: WeakListener] = [:]
    var lastListener = 0

    /// True if a handler or an observer receives the progress.
    var isWatched: Bool { progressHandler != nil || !observers.isEmpty }
    /// True if a handler or an observer must be called or released at the end.
    var isAwaited: Bool { isWatched || completion != nil || previewHandler != nil }
  }

  /// A weak reference: a listener lives as long as its stream.
  private struct WeakListener {
    weak var listener: Listener?
  }

  /// The request of the load, with the changes of the downloader's configuration.
  public let request: ImageRequest
  /// The additional identifier of the image; `nil` is an identity of its own.
  public let additionalIdentifier: String?
  /// True for a load that no caller waits for: it is not retried and not served by a stale response.
  let isProbe: Bool
  private let state: Mutex<State>

  init(
    _ request: ImageRequest, additionalIdentifier: String?, isProbe: Bool = false,
    progress: ProgressHandler? = nil, preview: PreviewHandler? = nil,
    completion: Completion? = nil
  ) {
    self.request = request
    self.additionalIdentifier = additionalIdentifier
    self.isProbe = isProbe
    state = Mutex(
      State(
        priority: request.priority, completion: completion, progressHandler: progress,
        previewHandler: preview))
  }

  /// Cancels the load. The completion receives `.cancelled`, once and after this call. Other callers that wait for the
  /// image are unaffected; when the last caller has left, the work stops.
  ///
  /// If the load is cancelled on the main actor before the completion is called, the completion never receives a
  /// success. Cancelling a load that has ended or is cancelled does nothing.
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

  /// The priority of this caller in the queue; may be changed while the load waits. A shared load has the highest
  /// priority of its callers.
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

  /// Pauses the load. Its download stops, or leaves the queue, unless another caller waits for it.
  ///
  /// The received bytes are kept, and `resume()` asks the server for the rest where possible (RFC 9110, 14). A body
  /// that is already complete is decoded and delivered nevertheless. Pausing a load that is paused or has ended does
  /// nothing.
  public func pause() { setPaused(true) }

  /// Continues the load after `pause()`.
  public func resume() { setPaused(false) }

  /// True while the load is paused.
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
    if isObserved { MainActorQueue.main.post { self.notifyObservers() } }
  }

  /// The progress of the transfer; nothing received while the load waits, and for an image from memory.
  public var progress: Progress { state.withLock { $0.progress } }

  /// The newest preview; `nil` before the first preview, for a request that is not `progressive`, and once the outcome
  /// is known.
  public var preview: Image? { state.withLock { $0.preview } }

  /// True if the outcome is known. The completion may still be on its way to the main actor.
  public var isFinished: Bool { state.withLock { $0.result != nil } }

  /// The response, once the load has ended; throws the error of a failed load. May be awaited several times, also at
  /// the same time. Cancelling a Swift task that waits here cancels the load.
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

  /// The events of the load from now on, ending with `.finished`; for a load that has ended, only `.finished`. Each
  /// access returns a new stream.
  ///
  /// A slow listener misses old events but always receives the outcome. Only the newest progress and the newest preview
  /// are buffered, and of the other events the newest 64. Ending the stream does not affect the load.
  public var events: AsyncStream<Event> {
    let number = state.withLock { state in
      state.lastListener += 1
      return state.lastListener
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
  /// completion has been called. Does not call it if the outcome is already known.
  ///
  /// - Returns: A number for `endObserving`.
  package func observe(_ change: @escaping @MainActor () -> Void) -> Int {
    // An unknown number is ignored, and numbers begin at 1.
    state.withLock { $0.result == nil ? $0.observers.add(change) : 0 }
  }

  /// Removes an observer; an unknown number is ignored.
  package func endObserving(_ number: Int) { state.releaseAfterLock { $0.observers.remove(number) } }

  /// True if the load was cancelled: its completion receives `.cancelled`, or has received it.
  package var isCancelled: Bool {
    state.withLock { state in
      if case .failure(.cancelled)? = state.result { true } else { state.isCancelled }
    }
  }

  /// True if the load has succeeded, false after a failure; `nil` until the outcome is known.
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

  /// The engine's number for this load. Read with the engine's lock held.
  var id: TaskID? { state.withLock { $0.id } }

  func isStarted(as id: TaskID, by engine: LoadEngine) {
    state.withLock {
      $0.id = id
      $0.engine = engine
    }
  }

  /// Sets the outcome and notifies all callers that wait. Only the first outcome counts.
  func settle(_ result: Result<ImageResponse, ImageError>) {
    let (outcome, waiting, listeners, isAwaited, _) = state.withLock { state in
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
        state.preview = nil
      }
      return (
        outcome, state.waiting, state.listeners.values.compactMap(\.listener), state.isAwaited,
        state.preview
      )
    }
    for continuation in waiting { continuation.resume(returning: outcome) }
    for listener in listeners { listener.yield(.finished(outcome)) }
    if isAwaited { MainActorQueue.main.post { self.complete() } }
  }

  /// Sends an event to all event streams.
  func emit(_ event: Event) {
    let listeners = state.withLock { $0.listeners.isEmpty ? [] : $0.listeners.values.compactMap(\.listener) }
    for listener in listeners { listener.yield(event) }
  }

  /// Reports progress. Replaces a report that the main actor has not received yet.
  func report(_ progress: Progress) {
    let isDue = state.withLock { state in
      state.progress = progress
      guard state.isWatched, !state.isReportPosted else { return false }
      state.isReportPosted = true
      return true
    }
    emit(.progress(progress))
    if isDue { MainActorQueue.main.post { self.deliverProgress() } }
  }

  /// Delivers a preview. Replaces a preview that the main actor has not received yet. Ignored once the outcome is
  /// known, and for a caller that has cancelled or paused.
  func show(_ preview: Image) {
    let (isShown, isDue) = state.withLock { state in
      guard state.result == nil, !state.isCancelled, !state.isPaused else { return (false, false) }
      state.preview = preview
      guard state.previewHandler != nil, !state.isPreviewPosted else { return (true, false) }
      state.isPreviewPosted = true
      return (true, true)
    }
    if isShown { emit(.preview(preview)) }
    if isDue { MainActorQueue.main.post { self.deliverPreview() } }
  }

  @MainActor private func complete() {
    let (completion, result, observers, _) = state.withLock { state in
      defer {
        state.completion = nil
        state.progressHandler = nil
        state.previewHandler = nil
        state.observers.removeAll()
      }
      return (state.completion, state.result, state.observers.entries, state.previewHandler)
    }
    if let result { completion?(result) }
    for observer in observers { observer.handler() }
  }

  @MainActor private func notifyObservers() {
    for observer in state.withLock({ $0.observers.entries }) { observer.handler() }
  }

  @MainActor private func deliverProgress() {
    let (handler, progress, observers) = state.withLock { state in
      state.isReportPosted = false
      return (state.isCancelled ? nil : state.progressHandler, state.progress, state.observers.entries)
    }
    handler?(progress)
    for observer in observers { observer.handler() }
  }

  @MainActor private func deliverPreview() {
    let (handler, image) = state.withLock { state in
      state.isPreviewPosted = false
      return (state.isCancelled || state.isPaused ? nil : state.previewHandler, state.preview)
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
