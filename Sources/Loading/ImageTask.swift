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
    /// A load of a slot also reports the first frame of an animation that a pixel cache has, which is no `isPreview`.
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

  typealias Outcome = Result<ImageResponse, ImageError>

  private struct State {
    var id: TaskID?
    weak var engine: LoadEngine?
    var priority: ImageRequest.Priority
    var progress = Progress()
    var preview: Image?
    var isCancelled = false
    var isPaused = false
    var result: Outcome?
    var subscribers: Subscribers

    /// True if a turn must be dropped: the caller has cancelled the load, or has paused the load and the turn is for a
    /// preview.
    func mutes(_ turn: Subscribers.Turn) -> Bool { isCancelled || (turn == .preview && isPaused) }

    /// Adds a subscriber unless the outcome is known. Returns the number of the subscriber, or 0, which is no number.
    mutating func subscribe(_ subscriber: Subscribers.Subscriber) -> Int {
      result == nil ? subscribers.add(subscriber) : 0
    }
  }

  /// The request of the load, with the changes of the downloader's configuration.
  public let request: ImageRequest
  /// The additional identifier of the image; `nil` is an identity of its own.
  public let additionalIdentifier: String?
  let purpose: LoadPurpose
  private let state: Mutex<State>

  init(
    _ request: ImageRequest, additionalIdentifier: String?, purpose: LoadPurpose = .application,
    progress: ProgressHandler? = nil, preview: PreviewHandler? = nil,
    completion: Completion? = nil
  ) {
    self.request = request
    self.additionalIdentifier = additionalIdentifier
    self.purpose = purpose
    state = Mutex(
      State(
        priority: request.priority,
        subscribers: Subscribers(.init(completion: completion, progress: progress, preview: preview))))
  }

  /// Cancels the load. The completion receives `.cancelled`, once and after this call. Other callers that wait for the
  /// image are unaffected; when the last caller has left, the work stops.
  ///
  /// If the load is cancelled on the main actor before the completion is called, the completion never receives a
  /// success. Cancelling a load that has ended or is cancelled does nothing.
  public func cancel() {
    let engine = state.withLock { state -> LoadEngine? in
      if state.result != nil {
        if state.subscribers.hasCompletion { state.result = .failure(cancellation) }
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
    let (delivery, engine) = state.withLock { state -> (Subscribers.Delivery?, LoadEngine?) in
      guard state.result == nil, state.isPaused != isPaused else { return (nil, nil) }
      state.isPaused = isPaused
      return (state.subscribers.publish(.pause), state.engine)
    }
    guard let delivery else { return }
    delivery.send(isPaused ? .paused : .resumed)
    engine?.settlePause(of: self)
    post(delivery.turn)
  }

  /// The progress of the transfer; nothing received while the load waits, and for an image from memory.
  public var progress: Progress { state.withLock { $0.progress } }

  /// The newest preview, or the first frame of an animation that a slot shows; `nil` before that, and once the outcome
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
            _ = state.subscribe(.waiter(continuation))
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
    let listener = Listener()
    let (number, outcome) = state.withLock { state -> (Int, Outcome?) in
      (state.subscribe(.stream(listener)), state.result)
    }
    if let outcome { listener.yield(.finished(outcome)) }
    let reader = EventReader(listener) { [weak self] in self?.endObserving(number) }
    return AsyncStream { await reader.next() }
  }

  /// The number of event streams, observers and waiting Swift tasks.
  var subscriberCount: Int { state.withLock { $0.subscribers.count } }

  // MARK: Observing

  /// Calls `change` on the main actor after progress has been reported, after `pause()` and `resume()`, and after the
  /// completion has been called. Does not call it if the outcome is already known.
  ///
  /// - Returns: A number for `endObserving`.
  package func observe(_ change: @escaping @MainActor () -> Void) -> Int {
    state.withLock { $0.subscribe(.observer(change)) }
  }

  /// Removes an observer or an event stream; an unknown number is ignored.
  package func endObserving(_ number: Int) { state.releaseAfterLock { $0.subscribers.remove(number) } }

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

  /// Returns a response with the part of the image that the request asks for.
  private func delivered(_ response: ImageResponse) -> ImageResponse {
    var response = response
    response.image = request.delivered(response.image)
    return response
  }

  /// Sets the outcome and notifies all callers that wait. Only the first outcome counts.
  func settle(_ result: Result<ImageResponse, ImageError>) {
    let (outcome, delivery, _) = state.withLock { state -> (Outcome, Subscribers.Delivery?, Image?) in
      guard state.result == nil else { return (result, nil, nil) }
      let isCancelled = state.isCancelled || result.isCancellation
      let outcome = isCancelled ? .failure(cancellation) : result.map(delivered)
      state.result = outcome
      defer { state.preview = nil }
      return (outcome, state.subscribers.publish(.end), state.preview)
    }
    guard let delivery else { return }
    delivery.resume(returning: outcome)
    delivery.send(.finished(outcome))
    post(delivery.turn)
  }

  /// Sends an event to all event streams.
  func emit(_ event: Event) { state.withLock { $0.subscribers.publish(nil) }.send(event) }

  /// Reports progress. Replaces a report that the main actor has not received yet.
  func report(_ progress: Progress) {
    let delivery = state.withLock { state in
      state.progress = progress
      return state.subscribers.publish(.progress)
    }
    delivery.send(.progress(progress))
    post(delivery.turn)
  }

  /// Delivers a preview. Replaces a preview that the main actor has not received yet. Ignored once the outcome is
  /// known, and for a caller that has cancelled or paused.
  func show(_ image: Image) {
    let preview = request.delivered(image)
    let delivery = state.withLock { state -> Subscribers.Delivery? in
      guard state.result == nil, !state.isCancelled, !state.isPaused else { return nil }
      // More frames of an animation change nothing for a caller that wants the first frame.
      if image.isAnimated, !preview.isAnimated, state.preview?.bitmap.hasPixels(of: preview.bitmap) == true {
        return nil
      }
      state.preview = preview
      return state.subscribers.publish(.preview)
    }
    delivery?.send(.preview(preview))
    post(delivery?.turn)
  }

  /// Posts a turn of the main actor.
  private func post(_ turn: Subscribers.Turn?) {
    // Closures that capture nothing but the task need no allocation.
    switch turn {
    case .progress: MainActorQueue.main.post { self.deliver(.progress) }
    case .preview: MainActorQueue.main.post { self.deliver(.preview) }
    case .pause: MainActorQueue.main.post { self.deliver(.pause) }
    case .end: MainActorQueue.main.post { self.deliver(.end) }
    case nil: break
    }
  }

  /// Calls the caller's handler, then the observers, in a turn of the main actor.
  @MainActor private func deliver(_ turn: Subscribers.Turn) {
    let (delivery, isMuted, progress, preview, result) = state.withLock { state in
      (state.subscribers.take(turn), state.mutes(turn), state.progress, state.preview, state.result)
    }
    let handlers = delivery.handlers
    switch turn {
    case .progress: if !isMuted { handlers.progress?(progress) }
    case .preview: if !isMuted, let preview { handlers.preview?(preview) }
    case .pause: break
    case .end: if let result { handlers.completion?(result) }
    }
    delivery.callObservers()
  }
}

extension Result<ImageResponse, ImageError> {
  /// True for a cancelled load.
  fileprivate var isCancellation: Bool {
    if case .failure(.cancelledLoad) = self { true } else { false }
  }
}
