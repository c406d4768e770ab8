import VitrineConcurrency
import VitrineGraphics

/// The state of a downloader behind the lock of `LoadEngine`: the registry, and for each of its callers and fetches the
/// task and the running attempt. An input that returns actions is followed by `work(_:)` in the same critical section.
struct LoadState {
  var registry: LoadRegistry
  private let trace: Trace
  private var tasks = LoadTable<TaskKind, ImageTask>()
  /// The running attempts.
  private var receivers = LoadTable<FetchKind, FetchReceiver>()
  /// Tasks that have left a running transfer. Released without a lock, because they may hold objects of the
  /// application.
  private var releasedTasks: [ImageTask] = []
  /// The number of images that the cache was offered.
  private(set) var storeCount = 0
  /// True if images are stored in the cache on the main queue.
  var storesOnMainQueue = false
  /// The remembered failures; `nil`, the default, if failures are not remembered.
  private var failures: FailureMemory?
  private(set) var statistics = ImageDownloader.Statistics()
  private var resumableDataStore: ResumableDataStore
  /// The number of attempts of all fetches so far.
  private var attempts: UInt64 = 0
  /// The number of transfers whose transport has not reported the end, including transfers that were given up.
  private var openTransfers = 0
  /// The number of callers to whom a result is being delivered.
  private var completing = 0
  private(set) var isShutDown = false
  private var waitingForIdle: [CheckedContinuation<Void, Never>] = []

  /// - Parameters:
  ///   - hasDisk: True if there is a disk cache.
  ///   - budget: The memory budget in bytes.
  init(_ configuration: ImageDownloader.Configuration, hasDisk: Bool, budget: Int) {
    trace = configuration.environment.trace
    failures = configuration.failureMemory
    // Resumable data count as bodies, which have half of the budget.
    resumableDataStore = ResumableDataStore(limit: min(configuration.memory.resumableBytesLimit, budget / 8))
    registry = LoadRegistry(
      firstNumber: trace.reserveNumbers(), undecodedBytesLimit: configuration.memory.undecodedBytesLimit,
      hasDisk: hasDisk, staleAfter: configuration.freshness.staleAfter, copyLimit: budget / 4,
      retries: configuration.retries, totalLimit: configuration.timeouts.total)
    registry.queue = DownloadQueue(configuration)
  }

  /// The current time in nanoseconds, set before each input.
  var now: Int64 {
    get { registry.now }
    set { registry.now = newValue }
  }

  // MARK: Work

  /// Work to be done without the lock.
  struct Work {
    var actions: [LoadAction] = []
    var releasedDecoders: [ReservedDecoder] = []
    var releasedTasks: [ImageTask] = []
    /// The attempts to stop.
    var givenUp: [FetchID: FetchReceiver] = [:]
  }

  /// Returns the work for `actions`, including the attempts to stop. The attempts are removed in the same critical
  /// section as the decision, because another attempt of a fetch may begin before the earlier one is stopped.
  mutating func work(_ actions: [LoadAction] = []) -> Work {
    var work = Work(actions: actions, releasedDecoders: registry.previews.takeReleasedDecoders())
    // Tasks move first, so that an attempt that is stopped does not report its end to them.
    for case .moveTask(let id, let old, let new) in actions {
      guard let task = tasks[id] else { continue }
      receivers[old]?.remove(task)
      watch(task, id, new)
    }
    for case .cancelFetch(let id) in actions { work.givenUp[id] = receivers.removeValue(forKey: id) }
    for case .pauseFetch(let id) in actions { work.givenUp[id] = receivers.removeValue(forKey: id) }
    work.releasedTasks = releasedTasks
    releasedTasks = []
    return work
  }

  /// Shows the progress and the previews of a running attempt to a task.
  private mutating func watch(_ task: ImageTask, _ id: TaskID, _ fetch: FetchID) {
    releasedTasks += receivers[fetch]?.add(task) ?? []
    // With the lock held, so that no newer preview is shown before this one.
    if task.request.progressive != .none, let preview = registry.previews.newest(for: id, in: registry.tree) {
      task.show(preview)
    }
  }

  // MARK: Callers

  /// The result of `start`.
  enum Start {
    case started([LoadAction])
    /// The memory lookup may be out of date.
    case outOfDate
    case isShutDown
  }

  /// Starts a load, or joins running work. Does nothing if the cache was offered an image since `storeCount` was read,
  /// and no fetch of these bytes is running.
  mutating func start(
    _ task: ImageTask, by engine: LoadEngine, unlessStoredSince storeCount: Int, _ lookup: LookupNotes
  ) -> Start {
    if self.storeCount != storeCount, task.request.cachePolicy != .reload,
      !registry.tree.isFetching(task.request.identity)
    {
      return .outOfDate
    }
    return isShutDown ? .isShutDown : .started(start(task, by: engine, lookup))
  }

  private mutating func start(
    _ task: ImageTask, by engine: LoadEngine, _ lookup: LookupNotes
  ) -> [LoadAction] {
    let (id, actions) = registry.start(
      task.request, additionalIdentifier: task.additionalIdentifier, lane: .init(task.request.url),
      isPaused: task.isPaused, isProbe: task.isProbe)
    tasks[id] = task
    task.isStarted(as: id, by: engine)
    traceRequest(id, lookup)
    if let fetch = registry.fetch(of: id) { watch(task, id, fetch) }
    return actions
  }

  private func traceRequest(_ id: TaskID, _ lookup: LookupNotes) {
    if let task = tasks[id], let request = registry.traceRequest(id, task.request, lookup) {
      trace.record(.requested(request))
    }
  }

  mutating func cancel(_ task: ImageTask) -> [LoadAction] { task.id.map { registry.cancel($0) } ?? [] }

  /// Applies the priority that the caller has set last.
  mutating func settlePriority(of task: ImageTask) -> [LoadAction] {
    task.id.map { registry.setPriority(task.priority, of: $0) } ?? []
  }

  /// Applies the last `pause()` or `resume()` of the caller.
  mutating func settlePause(of task: ImageTask) -> [LoadAction] {
    task.id.map { registry.setPaused(task.isPaused, $0) } ?? []
  }

  /// Returns the tasks to tell about a retry.
  mutating func willRetry(_ ids: [TaskID]) -> [ImageTask] {
    statistics.retries += 1
    return ids.compactMap { tasks[$0] }
  }

  /// Removes and returns the tasks that receive a result. Call `delivered` with the same number of callers after the
  /// tasks have received the result.
  mutating func deliver(_ ids: [TaskID], _ result: Result<ImageResponse, ImageError>) -> [ImageTask] {
    statistics.count(result, times: ids.count)
    completing += ids.count
    return ids.compactMap { tasks.removeValue(forKey: $0) }
  }

  mutating func delivered(to count: Int) { completing -= count }

  /// Counts a load that was served without the engine.
  mutating func count(_ result: Result<ImageResponse, ImageError>) { statistics.count(result, times: 1) }

  // MARK: Life cycle

  mutating func shutDown(cancelling: Bool) -> [LoadAction] {
    isShutDown = true
    resumableDataStore = ResumableDataStore(limit: 0)
    return cancelling ? registry.cancelAll() : []
  }

  var isIdle: Bool {
    registry.isEmpty && tasks.isEmpty && completing == 0 && openTransfers == 0 && registry.lookups.isIdle
  }

  /// Keeps a continuation until `isIdle` is true. Returns false if `isIdle` is true already.
  mutating func waitForIdle(_ continuation: CheckedContinuation<Void, Never>) -> Bool {
    guard !isIdle else { return false }
    waitingForIdle.append(continuation)
    return true
  }

  /// Removes and returns the continuations to resume, because `isIdle` is true.
  mutating func takeIdleWaiters() -> [CheckedContinuation<Void, Never>] {
    guard !waitingForIdle.isEmpty, isIdle else { return [] }
    defer { waitingForIdle = [] }
    return waitingForIdle
  }

  // MARK: Failures

  /// Returns the remembered failure of a request, unless the request would join a running fetch.
  func rememberedFailure(of identity: RequestIdentity) -> ImageError? {
    registry.tree.isFetching(identity) ? nil : failures?.error(for: identity.asSent, at: now)
  }

  /// Removes the remembered failure of a request. Returns true if there was one.
  mutating func removeFailure(of identity: RequestIdentity) -> Bool {
    failures?.remove(identity.asSent) ?? false
  }

  /// Removes all remembered failures. Returns true if there were any.
  mutating func removeAllFailures() -> Bool { failures?.removeAll() ?? false }

  /// Remembers a failure, except of a file or data URL: these are read each time, because they may change at any time
  /// and cost no network.
  private mutating func remember(_ error: ImageError, of request: ImageRequest) {
    let now = now
    if !request.isLocal { failures?.remember(error, of: request.identity.asSent, at: now) }
  }

  // MARK: Disk

  /// Handles the result of a look-up.
  ///
  /// - Parameter headers: The headers of the stored response, which may be for other request headers.
  mutating func lookedUp(
    _ id: FetchID, _ request: ImageRequest, _ find: DiskFind, _ headers: HTTPHeaders?
  ) -> [LoadAction] {
    var find = find
    if DiskUse(request.cachePolicy) == .byFreshness {
      find.failure = failures?.error(for: request.identity.asSent, at: now)
    }
    find.serverHasResponded = receivers[id]?.hasResponse ?? false
    let moved = headers.map { responded(id, $0) } ?? []
    return moved + registry.lookedUp(id, find)
  }

  mutating func lookUpSkipped(_ id: FetchID) -> [LoadAction] {
    let failure = registry.tree[id].flatMap { failures?.error(for: $0.request.identity.asSent, at: now) }
    return registry.lookUpSkipped(id, failure)
  }

  // MARK: Transfers

  /// An attempt that is about to start.
  struct Attempt {
    /// The number of the attempt among all attempts.
    let number: UInt64
    let resumable: ResumableData?
    /// The duration of earlier attempts in seconds.
    let spent: Double
    /// The number of seconds between the request and the first attempt.
    let secondsQueued: Double
  }

  /// Adds an attempt of a fetch. Returns `nil` if the fetch is no longer running.
  ///
  /// - Parameter identity: The identity of the resumable data to continue; `nil` for none.
  mutating func begin(
    _ id: FetchID, resuming identity: RequestIdentity?, make: (Attempt) -> FetchReceiver
  ) -> FetchReceiver? {
    guard registry.tree.isRunning(id), receivers[id] == nil else { return nil }
    attempts += 1
    let receiver = make(
      Attempt(
        number: attempts, resumable: identity.flatMap { resumableDataStore.take($0) },
        spent: registry.transfers.secondsSpent(on: id), secondsQueued: registry.transfers.secondsQueued(id)))
    for task in registry.tree.tasks(of: id).compactMap({ tasks[$0] }) { receiver.add(task) }
    receivers[id] = receiver
    return receiver
  }

  /// Returns true if an attempt was not given up and has not ended.
  func isCurrent(_ receiver: FetchReceiver) -> Bool { receivers[receiver.id] === receiver }

  /// Notes that the transport of an attempt starts. Returns false if the attempt was given up.
  mutating func transportBegins(_ receiver: FetchReceiver) -> Bool {
    guard isCurrent(receiver) else { return false }
    openTransfers += 1
    return true
  }

  mutating func transportEnded() { openTransfers -= 1 }

  /// Counts a transfer, successful or not.
  mutating func count(_ metrics: TransportMetrics) { statistics.count(metrics) }

  /// Returns the request of the fetch of an attempt; `nil` if the attempt has ended.
  func request(of receiver: FetchReceiver) -> ImageRequest? {
    isCurrent(receiver) ? registry.tree.runningRequest(of: receiver.id) : nil
  }

  /// Returns the server of an attempt; `nil` if the attempt has ended.
  func lane(of receiver: FetchReceiver) -> DownloadQueue.Lane? {
    isCurrent(receiver) ? registry.transfers.lane(of: receiver.id) : nil
  }

  /// Handles the head of a response: callers that have sent other values of the headers in `Vary` send requests of
  /// their own; see `LoadRegistry.responded`.
  mutating func responded(
    _ receiver: FetchReceiver, _ headers: HTTPHeaders, sent: CredentialDigests?, current: CredentialDigests?
  ) -> [LoadAction] {
    guard request(of: receiver) != nil else { return [] }
    return responded(receiver.id, headers, sent: sent, current: current)
  }

  private mutating func responded(
    _ id: FetchID, _ headers: HTTPHeaders, sent: CredentialDigests? = nil, current: CredentialDigests? = nil
  ) -> [LoadAction] {
    let (identity, actions) = registry.responded(id, headers, sent: sent, current: current) {
      [tasks] in tasks[$0]?.request
    }
    if let identity { receivers[id]?.setIdentity(identity.asSent) }
    for case .moveTask(let task, _, _) in actions {
      traceRequest(task, .bypassing(trace))
    }
    return actions
  }

  /// Drops a stored response that does not match the 304 of the server.
  mutating func dropCopy(of receiver: FetchReceiver) {
    if isCurrent(receiver) { registry.dropCopy(of: receiver.id) }
  }

  /// Handles the end of an attempt. An attempt that was given up is ignored.
  mutating func fetchEnded(
    _ receiver: FetchReceiver, _ end: FetchEnd, resumable: ResumableData?
  ) -> [LoadAction] {
    let id = receiver.id
    guard isCurrent(receiver) else { return [] }
    receivers.removeValue(forKey: id)
    if end.isRest { statistics.resumed += 1 }
    if let request = registry.tree.runningRequest(of: id) {
      switch end.outcome {
      case .bytes(let bytes) where bytes.body.isEmpty: remember(.emptyBody, of: request)
      case .bytes, .needsWhole, .notModified: break
      case .failed(let error):
        remember(error, of: request)
        if let resumable, error.isRetryable { keep(resumable, for: request.identity.asSent) }
      }
    }
    return registry.fetchEnded(id, end)
  }

  /// Keeps the resumable data of an attempt for later requests.
  mutating func keep(_ resumable: ResumableData, for identity: RequestIdentity) {
    resumableDataStore.keep(resumable, for: identity)
  }

  /// Moves the callers whose server has not answered in time to the stored response, then starts what waits for this
  /// time. A probe for each image waits for the server's response.
  ///
  /// - Parameter probe: Returns a load without a caller for an image.
  mutating func woken(
    at time: Int64, by engine: LoadEngine, probe: (ImageRequest, String?) -> ImageTask
  ) -> [LoadAction] {
    var actions: [LoadAction] = []
    for id in registry.overdueCopies() {
      for (request, identifier) in registry.imagesAwaited(from: id) where !isShutDown {
        actions += start(probe(request, identifier), by: engine, .bypassing(trace))
      }
      actions += registry.serveCopy(of: id)
    }
    return actions + registry.woken(at: time)
  }

  mutating func networkReturned() -> [LoadAction] {
    _ = failures?.removeAll()
    return registry.networkReturned()
  }

  // MARK: Images

  mutating func decodeEnded(_ id: DecodeID, _ result: Result<Image, ImageError>) -> [LoadAction] {
    if let request = registry.tree.requestToServer(of: id) {
      switch result {
      case .success: failures?.remove(request.identity.asSent)
      case .failure(let error): remember(error, of: request)
      }
    }
    return registry.decodeEnded(id, result)
  }

  mutating func storeEnded(_ id: ProcessedImageID) -> [LoadAction] {
    storeCount += 1
    return registry.storeEnded(id)
  }

  // MARK: Previews

  /// Begins the previews that are due. Returns the time of the next call in nanoseconds, `Int64.max` for none, and the
  /// decoders to release without a lock.
  mutating func previewsDue(
    of receiver: FetchReceiver, _ beginning: PreviewSchedule.Beginning, interval: Double
  ) -> (jobs: [PreviewJob], next: Int64, released: [ReservedDecoder]) {
    guard isCurrent(receiver) else { return ([], .max, []) }
    let (jobs, next) = registry.previews.begin(
      of: receiver.id, beginning, interval: interval, at: now, in: registry.tree)
    return (jobs, next, registry.previews.takeReleasedDecoders())
  }

  /// Ends a preview.
  ///
  /// - Parameter interval: The minimum number of seconds between two previews.
  mutating func previewEnded(_ job: PreviewJob, _ end: PreviewMaker.End, interval: Double) {
    switch end {
    case .skipped(let decoder):
      registry.previews.skip(job, decoder, until: now.advanced(bySeconds: interval))
    case .ended(let decoder, let hasPreview):
      registry.previews.end(job, decoder, hasPreview: hasPreview, interval: interval, at: now)
    }
  }

  /// Keeps a finished preview of an image; `nil` if a transform has failed. Returns the tasks that show the preview.
  mutating func previewIsReady(_ preview: Image?, of id: ProcessedImageID, _ job: PreviewJob) -> [ImageTask] {
    guard let preview else {
      registry.previews.hasFailed(id, job)
      return []
    }
    return registry.previews.isReady(preview, of: id, job, in: registry.tree).compactMap { tasks[$0] }
  }

  /// Removes preview decoders and resumable data, to make room for `bytes` bytes. The result is released without a
  /// lock.
  mutating func takeUnneeded(bytes: Int, isBodyWaiting: Bool) -> ([ReservedDecoder], [ResumableData]) {
    registry.previews.releaseDecoders(bytes: bytes)
    return (
      registry.previews.takeReleasedDecoders(),
      isBodyWaiting ? resumableDataStore.takeOldest(bytes: bytes) : []
    )
  }
}
