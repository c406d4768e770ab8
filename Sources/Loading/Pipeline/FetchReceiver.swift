import Dispatch
import Synchronization
import VitrineConcurrency
import VitrineGraphics

/// The receiver of one attempt of a fetch. Reports progress to the waiting tasks, and the result to the engine.
final class FetchReceiver: TransportReceiver {
  struct State {
    var assembler: ResponseAssembler
    var watchers: [ImageTask] = []
    /// The number of watchers at which finished tasks are removed.
    var fullCount = 32
    var failureMetrics: TransportMetrics?
    /// The activity of the transfer, which ends with the transfer or with the receiver.
    var activity: NetworkActivity.Running?
    var modifying: Task<Void, Never>?
    var isEnded = false
    /// The earliest time of the next progress report, in nanoseconds.
    var nextReport = Int64.min
    /// The earliest time of the next preview, in nanoseconds; `Int64.max` if no caller wants previews.
    var nextPreview = Int64.max
    /// The body that is being received, with the reservation of the bytes; `nil` after the end.
    var body: ArrivingBody?
    /// The number of bytes of the body up to which the transport may deliver without asking again.
    var promised = 0
    var pauses = PauseTime()

    /// The number of bytes to keep reserved.
    var reserved: Int { max(assembler.memoryUsed, promised) }

    fileprivate mutating func takeFinishedWatchers() -> [ImageTask] {
      guard watchers.count >= fullCount else { return [] }
      var finished: [ImageTask] = []
      watchers.removeAll { watcher in
        let isFinished = watcher.isFinished
        if isFinished { finished.append(watcher) }
        return isFinished
      }
      fullCount = max(32, 2 * watchers.count)
      return finished
    }

    /// Returns resumable data with a reservation, so that the bytes stay counted.
    func counting(_ resumable: ResumableData?, in reservation: MemoryReservation?) -> ResumableData? {
      var resumable = resumable
      resumable?.reservation = reservation
      return resumable
    }

    /// Ends the arriving body and returns the reservation of the bytes.
    mutating func takeReservation() -> MemoryReservation? {
      guard let body else { return nil }
      body.end()
      self.body = nil
      return body.reservation
    }
  }

  /// The queue that resumes transfers waiting for memory, because the thread that releases memory may hold a lock.
  private static let resuming = DispatchQueue(label: "vitrine.resuming")

  let id: FetchID
  private let isLocal: Bool
  /// True if previews are possible: not for a file or data URL, and not with a body modifier.
  private let allowsPreviews: Bool
  private let secondsQueued: Double
  private let modifier: ImageDownloader.ResponseModifier?
  private let interval: Double
  let clock: any LoadingClock
  let state: Mutex<State>
  /// Weak, so that a transport that never ends does not retain the engine of a released downloader.
  weak let engine: LoadEngine?

  init(
    id: FetchID, isLocal: Bool, assembler: ResponseAssembler,
    configuration: ImageDownloader.Configuration,
    secondsQueued: Double, engine: LoadEngine
  ) {
    self.id = id
    self.isLocal = isLocal
    self.secondsQueued = secondsQueued
    allowsPreviews = !isLocal && configuration.bodyModifier == nil
    modifier = configuration.responseModifier
    interval = configuration.progressInterval
    clock = configuration.clock
    self.engine = engine
    let reservation = assembler.resumed?.reservation ?? MemoryReservation(0, in: engine.ledger, as: .bodies)
    let body = ArrivingBody(reservation, in: engine.ledger) { look in Self.resuming.async(execute: look) }
    state = Mutex(State(assembler: assembler, body: body))
  }

  /// Begins to count the transfer as network activity, except for a file or data URL.
  func countsAsActivity(of network: NetworkActivity) {
    if !isLocal { state.withLock { $0.activity = network.begin() } }
  }

  /// True if the head of a response has come.
  var hasResponse: Bool { state.withLock { $0.assembler.response != nil } }

  /// True once the transport has reported the end.
  var isEnded: Bool { state.withLock { $0.isEnded } }

  /// True while the response modifier is running.
  var isModifying: Bool { state.withLock { $0.assembler.isModifying } }

  /// Adds a waiting task. Returns finished tasks, which the caller releases without holding a lock. O(1), amortized.
  @discardableResult
  func add(_ watcher: ImageTask) -> [ImageTask] {
    let wantsPreviews = allowsPreviews && watcher.request.progressive != .none
    return state.withLock { state in
      state.watchers.append(watcher)
      if wantsPreviews { state.nextPreview = .min }
      return state.takeFinishedWatchers()
    }
  }

  /// Removes a task that waits for another fetch now. O(n) in the number of tasks.
  func remove(_ watcher: ImageTask) { state.withLock { $0.watchers.removeAll { $0 === watcher } } }

  /// Ends the attempt, because no caller wants the transfer any more. Returns the resumable data, or `nil` if there are
  /// none.
  func abandon() -> ResumableData? {
    let (resumable, modifying) = state.withLock { state in
      let used = state.assembler.memoryUsed
      let resumable = state.assembler.abandon()
      state.body?.shrink(to: resumable == nil ? 0 : used)
      return (state.counting(resumable, in: state.takeReservation()), state.modifying)
    }
    modifying?.cancel()
    return resumable
  }

  func transportDidReceive(_ response: TransportResponse) {
    let (step, head, watchers, progress) = state.withLock { state in
      let step = state.assembler.receive(response)
      return (step, state.assembler.response ?? response, state.watchers, state.assembler.progress)
    }
    engine?.responseArrived(head, of: self)
    for watcher in watchers {
      watcher.emit(.response(head))
      watcher.report(progress)
    }
    perform(step)
  }

  func transportMayReceive(_ count: Int, resume: @escaping @Sendable () -> Void) -> Bool {
    let (body, total) = state.withLock { state in
      state.pauses.begin(at: clock.now)
      return (state.body, state.assembler.memoryNeeded(for: count))
    }
    if let body, let total, !body.reserve(total, orCall: resume) { return false }
    state.withLock { state in
      state.pauses.end(at: clock.now)
      state.promised = state.assembler.progress.received + count
    }
    return true
  }

  func transportDidReceive(_ bytes: UnsafeRawBufferPointer) {
    let now = interval > 0 ? clock.now : 0
    let (watchers, progress, body, used, wantsPreviews) = state.withLock { state in
      state.assembler.receive(bytes)
      let progress = state.assembler.progress
      let wantsPreviews = state.nextPreview < .max
      guard interval <= 0 || now >= state.nextReport || progress.received == progress.expected else {
        return ([ImageTask](), progress, state.body, state.reserved, wantsPreviews)
      }
      state.nextReport = now.advanced(bySeconds: interval)
      return (state.watchers, progress, state.body, state.reserved, wantsPreviews)
    }
    // If the transport has not asked for room, this may evict memory.
    body?.trim(to: used)
    for watcher in watchers { watcher.report(progress) }
    if wantsPreviews { showPreview() }
  }

  func transportWillFail(_ metrics: TransportMetrics) {
    if !isLocal { engine?.count(metrics) }
    let complete = completed(metrics)
    state.withLock { $0.failureMetrics = complete }
  }

  /// Returns the metrics with the time in the queue, from the request to the first attempt.
  private func completed(_ metrics: TransportMetrics) -> TransportMetrics {
    var metrics = metrics
    metrics.queue = secondsQueued
    return metrics
  }

  func transportDidFinish(_ result: Result<TransportMetrics, ImageError>) {
    let result = result.map(completed)
    let (step, _, failureMetrics, watchers) = state.withLock { state in
      defer {
        state.activity = nil
        state.watchers = []
        state.isEnded = true
      }
      return (state.assembler.end(result), state.activity, state.failureMetrics, state.watchers)
    }
    guard let engine else { return }
    let transfer = TraceEvent.Transfer(result, failureMetrics: failureMetrics, isLocal: isLocal)
    engine.trace.record(.fetchEnded(fetch: id.number, transfer))
    if !isLocal, case .success(let metrics) = result { engine.count(metrics) }
    if let metrics = (try? result.get()) ?? failureMetrics {
      for watcher in watchers { watcher.emit(.transferred(metrics)) }
    }
    perform(step)
    engine.transportEnded()
  }

  private func perform(_ step: ResponseAssembler.Step) {
    switch step {
    case .goOn: break
    case .end(var end):
      let resumable = state.withLock { state -> ResumableData? in
        end.secondsPaused = state.pauses.seconds(at: clock.now)
        guard case .bytes(var bytes) = end.outcome else {
          let resumable = state.assembler.takeResumableData()
          state.body?.shrink(to: resumable?.bytes.count ?? 0)
          return state.counting(resumable, in: state.takeReservation())
        }
        state.body?.shrink(to: bytes.body.count)
        bytes.reservation = state.takeReservation()
        end.outcome = .bytes(bytes)
        return nil
      }
      engine?.fetchEnded(self, end, resumable: resumable)
    case .modify(let response): modify(response)
    }
  }

  private func modify(_ response: TransportResponse) {
    guard let modifier else { return }
    let task = Task {
      let result = await Result.of(ImageError.responseRefused) { try await modifier(response) }
      let (step, watchers) = state.withLock { ($0.assembler.modified(result), $0.watchers) }
      if case .success(let modified) = result, modified != response {
        for watcher in watchers { watcher.emit(.response(modified)) }
      }
      perform(step)
    }
    state.withLock { $0.modifying = task }
    engine?.limitTime(of: self)
  }
}

extension Result where Failure == ImageError {
  /// Returns the result of a closure of the application. An `ImageError` is passed on, a `CancellationError` becomes
  /// `.cancelled`, and any other error becomes `refusal` with the text of the error.
  static func of(
    _ refusal: (String) -> ImageError, _ body: () async throws -> sending Success
  ) async -> sending Result {
    do { return .success(try await body()) } catch { return .failure(ImageError(error, refusal)) }
  }

  /// Returns the result of a synchronous closure of the application. Errors are mapped as for asynchronous closures.
  static func of(_ refusal: (String) -> ImageError, _ body: () throws -> Success) -> Result {
    do { return .success(try body()) } catch { return .failure(ImageError(error, refusal)) }
  }
}

extension ImageError {
  fileprivate init(_ error: any Error, _ refusal: (String) -> ImageError) {
    self =
      switch error {
      case let error as ImageError: error
      case is CancellationError: .cancelled
      default: refusal("\(error)")
      }
  }
}
