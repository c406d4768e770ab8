import Dispatch
import Synchronization
import VitrineConcurrency
import VitrineGraphics

/// One attempt of a fetch: sends the request and receives the response. Reports progress to the waiting tasks, and the
/// result to the delegate.
final class FetchReceiver: TransportReceiver {
  private struct State {
    var exchange: Exchange
    var assembler: ResponseAssembler
    /// The lock of the fetch, while this process holds it.
    var lock: FetchLockHold?
    var stop = AttemptStop()
    var watchers = AttemptWatchers()
    var failureMetrics: TransportMetrics?
    /// True if the transport has reported the end. A custom transport may do so again.
    var hasFinished = false
    /// The activity of the transfer, which ends with the transfer or with the receiver.
    var activity: NetworkActivity.Running?
    var modifying: Task<Void, Never>?
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

    /// True if the response may be stored, as far as its head tells, or confirms a stored response.
    var mayBeStored: Bool {
      guard let response = assembler.response else { return true }
      return assembler.isNotModified || StoredResponse.mayBeStored(response, sent: exchange.sent)
    }

    var beginning: PreviewSchedule.Beginning? {
      guard assembler.isBeginning else { return nil }
      return .init(
        body: assembler.bodyNumber, count: assembler.progress.received,
        expected: assembler.response?.expectedLength)
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
  /// The time limit for the request modifier and for the response modifier, in seconds.
  private let modifierLimit: Double
  private let clock: any LoadingClock
  private let trace: Trace
  private let state: Mutex<State>
  /// Weak, so that a transport that never ends does not retain the engine of a released downloader.
  ///
  /// `nonisolated(unsafe)` is safe because only the initializer sets the property, and because threads may read a weak
  /// reference at the same time.
  nonisolated(unsafe) private weak var delegate: (any FetchReceiverDelegate)?

  /// - Parameters:
  ///   - ledger: The ledger that counts the body.
  ///   - secondsQueued: The number of seconds between the request and the first attempt.
  ///   - lock: The lock of the fetch, if this process holds it.
  init(
    id: FetchID, _ exchange: Exchange, assembler: ResponseAssembler,
    configuration: ImageDownloader.Configuration, ledger: MemoryLedger, secondsQueued: Double,
    lock: FetchLockHold? = nil, delegate: any FetchReceiverDelegate
  ) {
    self.id = id
    self.secondsQueued = secondsQueued
    self.delegate = delegate
    isLocal = exchange.request.isLocal
    modifierLimit = configuration.timeouts.total
    trace = configuration.environment.trace
    allowsPreviews = !isLocal && configuration.responses.bodyModifier == nil
    modifier = configuration.responses.modifier
    interval = configuration.intervals.progress
    clock = configuration.environment.clock
    let reservation = assembler.resumed?.reservation ?? MemoryReservation(0, in: ledger, as: .bodies)
    let body = ArrivingBody(reservation, in: ledger) { look in Self.resuming.async(execute: look) }
    state = Mutex(State(exchange: exchange, assembler: assembler, lock: lock, body: body))
  }

  /// The request of the attempt.
  var exchange: Exchange { state.withLock { $0.exchange } }

  /// Notes the identity of the request after `Vary` has named further headers.
  func setIdentity(_ identity: RequestIdentity) { state.withLock { $0.exchange.identity = identity } }

  // MARK: Start and stop

  /// Sends the request, after the request modifier has changed the request.
  ///
  /// - Parameter storesResponses: True if there is a disk cache, which needs the request as sent.
  func start(
    _ configuration: ImageDownloader.Configuration, _ transports: TransportTable, storesResponses: Bool
  ) {
    trace.record(.fetchBegan(fetch: id.number))
    let (request, lock) = state.withLock { ($0.exchange.transportRequest(configuration), $0.lock) }
    lock?.transferBegins(at: clock.now)
    guard let modify = configuration.requests.modifier else {
      return begin(request, configuration, transports, storesResponses)
    }
    let task = Task {
      switch await Result.of(ImageError.requestRefused, { try await modify(request) }) {
      case .success(let request):
        begin(request, configuration, transports, storesResponses, afterModifier: true)
      case .failure(let error):
        trace.record(.fetchEnded(fetch: id.number, .init()))
        delegate?.fetchEnded(self, FetchEnd(.failed(error)), resumable: nil)
      }
    }
    // If the transfer has begun by now, the handle of the transfer is kept instead.
    keep(CancellableTask(task), insteadOfAnother: false)
    limitTime { !$0.exchange.hasBegun && !$0.stop.isStopped }
  }

  private func begin(
    _ request: TransportRequest, _ configuration: ImageDownloader.Configuration,
    _ transports: TransportTable, _ storesResponses: Bool, afterModifier: Bool = false
  ) {
    let time = storesResponses ? configuration.environment.wallClock() : nil
    // Before the delegate is asked, because the time limit of the modifier must not end an attempt that begins.
    let isStopped = state.withLock { state in
      state.exchange.begin(time.map { (request, $0) })
      return state.stop.isStopped || state.assembler.isOver
    }
    guard let delegate else { return }
    if afterModifier {
      guard delegate.fetchBegins(self) else { return }
    } else if isStopped {
      // The attempt was given up before its transport could start.
      return delegate.transportEnded()
    }
    if !isLocal { state.withLock { $0.activity = configuration.environment.networkActivity.begin() } }
    do {
      keep(try transports.transport(for: request.url).start(request, receiver: self))
    } catch {
      transportDidFinish(.failure(error))
    }
  }

  /// Keeps the handle that stops the attempt. Cancels the handle if the attempt was stopped before the handle was
  /// known.
  private func keep(_ handle: any Cancellable, insteadOfAnother: Bool = true) {
    let isWanted = state.withLock { $0.stop.keep(handle, insteadOfAnother: insteadOfAnother) }
    if !isWanted { handle.cancel() }
  }

  /// Stops the transfer, unless the transport has reported the end.
  func stop() {
    let handle = state.withLock { $0.stop.stop() }
    handle?.cancel()
  }

  /// Fails the attempt if a modifier is still running after `modifierLimit` seconds.
  private func limitTime(while isModifying: @escaping @Sendable (borrowing State) -> Bool) {
    guard modifierLimit < 1e9 else { return }
    clock.wake(at: clock.now.advanced(bySeconds: max(0, modifierLimit))) { [weak self] in
      guard let self, state.withLock({ isModifying($0) }) else { return }
      let error = ImageError.timedOut(.total(seconds: modifierLimit))
      delegate?.fetchEnded(self, FetchEnd(.failed(error)), resumable: abandon())
    }
  }

  // MARK: Response

  /// True if the head of a response has come.
  var hasResponse: Bool { state.withLock { $0.assembler.response != nil } }

  /// Adds a waiting task. Returns finished tasks, which the caller releases without holding a lock. O(1), amortized.
  @discardableResult
  func add(_ watcher: ImageTask) -> [ImageTask] {
    let wantsPreviews = allowsPreviews && watcher.request.progressive != .none
    return state.withLock { state in
      if wantsPreviews { state.nextPreview = .min }
      return state.watchers.add(watcher)
    }
  }

  /// Removes a task that waits for another fetch now. O(n) in the number of tasks.
  func remove(_ watcher: ImageTask) { state.withLock { $0.watchers.remove(watcher) } }

  /// Ends the attempt, because no caller wants the transfer any more. Returns the resumable data, or `nil` if there are
  /// none.
  func abandon() -> ResumableData? {
    let (resumable, modifying) = state.withLock { state in
      let resumable = state.assembler.abandon()
      state.body?.shrink(to: resumable?.bytes.count ?? 0)
      state.lock = nil
      return (state.counting(resumable, in: state.takeReservation()), state.modifying)
    }
    modifying?.cancel()
    return resumable
  }

  /// Returns the bytes received so far as resumable data, while the transfer goes on; `nil` if there are none.
  func resumableData() -> ResumableData? {
    state.withLock { $0.assembler.resumableData() }
  }

  func transportDidReceive(_ response: TransportResponse) {
    // The callers that the response does not serve leave before the head is delivered to the others.
    delegate?.responseArrived(response, of: self)
    let (step, head, watchers, progress, lock) = state.withLock { state in
      let isFromDisk = state.assembler.resumed?.isFromDisk == true
      let step = state.assembler.receive(
        response, isRedirected: isFromDisk && !state.exchange.isOwn(response.url))
      // Other processes need not wait for a response that is not stored.
      if state.lock != nil, !state.mayBeStored { state.lock = nil }
      let head = state.assembler.response ?? response
      return (step, head, state.watchers.tasks, state.assembler.progress, state.lock)
    }
    lock?.noteProgress(at: clock.now)
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
      state.promised = max(state.promised, state.assembler.progress.received + count)
    }
    return true
  }

  func transportDidReceive(_ bytes: UnsafeRawBufferPointer) {
    let now = interval > 0 ? clock.now : 0
    let (watchers, progress, body, used, wantsPreviews, lock) = state.withLock { state in
      state.assembler.receive(bytes)
      let progress = state.assembler.progress
      let wantsPreviews = state.nextPreview < .max
      guard interval <= 0 || now >= state.nextReport || progress.received == progress.expected else {
        return ([ImageTask](), progress, state.body, state.reserved, wantsPreviews, state.lock)
      }
      state.nextReport = now.advanced(bySeconds: interval)
      return (state.watchers.tasks, progress, state.body, state.reserved, wantsPreviews, state.lock)
    }
    lock?.noteProgress(at: clock.now)
    // If the transport has not asked for room, this may evict memory.
    body?.resize(to: used)
    for watcher in watchers { watcher.report(progress) }
    if wantsPreviews { showPreview() }
  }

  func transportWillFail(_ metrics: TransportMetrics) {
    if !isLocal { delegate?.count(metrics) }
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
    let isRepeated = state.withLock { state in
      defer { state.hasFinished = true }
      return state.hasFinished
    }
    guard !isRepeated else { return }
    let result = result.map(completed)
    let isComplete: Bool
    var metrics: TransportMetrics?
    switch result {
    case .success(let complete): (isComplete, metrics) = (true, complete)
    case .failure: isComplete = false
    }
    var step = ResponseAssembler.Step.goOn
    var watchers: [ImageTask] = []
    state.releaseAfterLock { state in
      step = state.assembler.end(result)
      if !isComplete { metrics = state.failureMetrics }
      watchers = state.watchers.takeAll()
      return (state.activity.take(), state.stop.end())
    }
    guard let delegate else { return }
    let transfer = TraceEvent.Transfer(metrics, isComplete: isComplete, isLocal: isLocal)
    trace.record(.fetchEnded(fetch: id.number, transfer))
    if let metrics {
      if !isLocal, isComplete { delegate.count(metrics) }
      for watcher in watchers { watcher.emit(.transferred(metrics)) }
    }
    perform(consume step)
    // Last, because callers of `drain()` wait for what the end of the fetch causes, such as writing to disk.
    delegate.transportEnded()
  }

  // MARK: Previews

  /// Starts the previews that are due, after more bytes were received.
  private func showPreview() {
    let now = clock.now
    let beginning = state.withLock { now >= $0.nextPreview ? $0.beginning : nil }
    guard let delegate, let beginning, beginning.isWorthShowing else { return }
    let next = delegate.bytesArrived(beginning, of: self)
    state.withLock { $0.nextPreview = next }
  }

  /// Returns all bytes received so far, or `nil` if `beginning` no longer describes the body.
  func bytes(of beginning: PreviewSchedule.Beginning) -> [UInt8]? {
    state.withLock { $0.beginning == beginning ? $0.assembler.body : nil }
  }

  // MARK: End

  private func perform(_ step: consuming ResponseAssembler.Step) {
    switch consume step {
    case .goOn: break
    case .end(var end):
      let resumable = state.withLock { state -> ResumableData? in
        end.secondsPaused = state.pauses.seconds(at: clock.now)
        end.lock = state.lock.take()
        guard case .bytes = end.outcome else {
          let resumable = state.assembler.takeResumableData()
          state.body?.shrink(to: resumable?.bytes.count ?? 0)
          return state.counting(resumable, in: state.takeReservation())
        }
        end.changeBytes { bytes in
          state.body?.shrink(to: bytes.body.count)
          bytes.reservation = state.takeReservation()
        }
        return nil
      }
      delegate?.fetchEnded(self, end, resumable: resumable)
    case .modify(let response): modify(response)
    }
  }

  private func modify(_ response: TransportResponse) {
    guard let modifier else { return }
    // Started with the lock held, so that `abandon()` comes before the start or finds the task.
    let isStarted = state.withLock { state in
      guard !state.assembler.isOver else { return false }
      state.modifying = Task { await modify(response, with: modifier) }
      return true
    }
    if isStarted { limitTime { $0.assembler.isModifying } }
  }

  private func modify(
    _ response: TransportResponse, with modifier: @escaping ImageDownloader.ResponseModifier
  ) async {
    let result = await Result.of(ImageError.responseRefused) { try await modifier(response) }
    let (step, watchers) = state.withLock { ($0.assembler.modified(result), $0.watchers.tasks) }
    if case .success(let modified) = result, modified != response {
      for watcher in watchers { watcher.emit(.response(modified)) }
    }
    perform(step)
  }
}
