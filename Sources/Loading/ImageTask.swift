import Synchronization
import VitrineGraphics

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

  /// Hears the outcome, once, on the main actor.
  public typealias Completion = @MainActor (Result<ImageResponse, ImageError>) -> Void
  /// Hears how far it is, on the main actor; not for each chunk of bytes.
  public typealias ProgressHandler = @MainActor (Progress) -> Void

  private typealias Outcome = Result<ImageResponse, ImageError>

  private struct State {
    var id: TaskID?
    weak var engine: LoadEngine?
    var priority: ImageRequest.Priority
    var progress = Progress()
    var isReportPosted = false
    var isCancelled = false
    var result: Outcome?
    var completion: Completion?
    var progressHandler: ProgressHandler?
    /// Who else hears of progress and end, by number.
    var observers: [Int: @MainActor () -> Void] = [:]
    var lastObserver = 0
    var waiting: [CheckedContinuation<Outcome, Never>] = []

    /// Whether somebody hears of progress.
    var isWatched: Bool { progressHandler != nil || !observers.isEmpty }
  }

  /// What was asked for.
  public let request: ImageRequest
  /// What it was asked for under; nil is an identifier of its own.
  public let additionalIdentifier: String?
  private let state: Mutex<State>

  init(
    _ request: ImageRequest, additionalIdentifier: String?, progress: ProgressHandler? = nil,
    completion: Completion? = nil
  ) {
    self.request = request
    self.additionalIdentifier = additionalIdentifier
    state = Mutex(
      State(priority: request.priority, completion: completion, progressHandler: progress))
  }

  /// Gives the load up: its completion hears `.cancelled`, once and later. Others who wait for the same
  /// picture are untouched; when nobody is left, the work stops. From the main actor this holds up to the
  /// completion itself: after the call it never hears a success. Cancelling again, or after that, does
  /// nothing.
  public func cancel() {
    let running = state.withLock { state -> (LoadEngine?, TaskID?) in
      if state.result != nil {
        if state.completion != nil { state.result = .failure(.cancelled) }
        return (nil, nil)
      }
      state.isCancelled = true
      return (state.engine, state.id)
    }
    if case (let engine?, let id?) = running { engine.cancel(id) }
  }

  /// Where this caller stands in the queue; may be changed while it waits. What is shared has the highest
  /// priority of those who wait for it.
  public var priority: ImageRequest.Priority {
    get { state.withLock { $0.priority } }
    set {
      let running = state.withLock { state in
        state.priority = newValue
        return (state.engine, state.id)
      }
      if case (let engine?, let id?) = running { engine.setPriority(newValue, of: id) }
    }
  }

  /// How much has come; nothing while it waits, and for a picture from memory.
  public var progress: Progress { state.withLock { $0.progress } }

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

  // MARK: Observing

  /// Calls `change` on the main actor after progress has been reported, and after the completion has been called.
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

  // MARK: For the engine

  func isStarted(as id: TaskID, by engine: LoadEngine) {
    state.withLock {
      $0.id = id
      $0.engine = engine
    }
  }

  /// The outcome. The first one counts.
  func settle(_ result: Result<ImageResponse, ImageError>) {
    let (outcome, waiting, isAwaited) = state.withLock { state in
      guard state.result == nil else { return (result, [CheckedContinuation<Outcome, Never>](), false) }
      let outcome = state.isCancelled ? .failure(.cancelled) : result
      state.result = outcome
      defer { state.waiting = [] }
      return (outcome, state.waiting, state.isWatched || state.completion != nil)
    }
    for continuation in waiting { continuation.resume(returning: outcome) }
    if isAwaited { Mailbox.main.post { self.complete() } }
  }

  /// More bytes have come. Reports that the main actor has not read yet are replaced.
  func report(_ progress: Progress) {
    let isDue = state.withLock { state in
      state.progress = progress
      guard state.isWatched, !state.isReportPosted else { return false }
      state.isReportPosted = true
      return true
    }
    if isDue { Mailbox.main.post { self.deliverProgress() } }
  }

  @MainActor private func complete() {
    let (completion, result, observers) = state.withLock { state in
      defer {
        state.completion = nil
        state.progressHandler = nil
        state.observers = [:]
      }
      return (state.completion, state.result, state.observers)
    }
    if let result { completion?(result) }
    for observer in observers.values { observer() }
  }

  @MainActor private func deliverProgress() {
    let (handler, progress, observers) = state.withLock { state in
      state.isReportPosted = false
      return (state.isCancelled ? nil : state.progressHandler, state.progress, state.observers)
    }
    handler?(progress)
    for observer in observers.values { observer() }
  }
}
