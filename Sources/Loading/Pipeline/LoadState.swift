import VitrineConcurrency
import VitrineGraphics

/// The state of a downloader behind the lock of `LoadEngine`: the registry, and for each of its callers and fetches the
/// task and the running attempt. An input that returns actions is followed by `work(_:)` in the same critical section.
struct LoadState {
  var registry: LoadRegistry
  private let trace: Trace
  private var tasks = LoadTable<TaskKind, ImageTask>()
  var attempts: RunningAttempts
  /// Tasks that have left a running transfer. Released without a lock, because they may hold objects of the
  /// application.
  private var releasedTasks: [ImageTask] = []
  /// The number of images that the cache was offered.
  private(set) var storeCount = 0
  /// The remembered failures; `nil`, the default, if failures are not remembered.
  var failures: FailureMemory?
  /// The number of transfers whose transport is about to start or has not reported the end, including those that were
  /// given up, and of callers to whom a result is being delivered. Decreased without the lock.
  private let pending: PendingWork
  private(set) var isShutDown = false
  private var waitingForIdle: [CheckedContinuation<Void, Never>] = []

  /// - Parameters:
  ///   - hasDisk: True if there is a disk cache.
  ///   - preparesFetches: True if the disk cache is asked before transfers.
  ///   - budget: The memory budget in bytes.
  init(
    _ configuration: ImageDownloader.Configuration, hasDisk: Bool, preparesFetches: Bool = false, budget: Int,
    pending: PendingWork
  ) {
    self.pending = pending
    trace = configuration.environment.trace
    failures = configuration.failureMemory
    // Resumable data count as bodies, which have half of the budget.
    attempts = RunningAttempts(resumableBytesLimit: min(configuration.memory.resumableBytesLimit, budget / 8))
    registry = LoadRegistry(
      firstNumber: trace.reserveNumbers(), undecodedBytesLimit: configuration.memory.undecodedBytesLimit,
      transfers: TransferPlan(
        DownloadQueue(configuration), retries: configuration.retries,
        totalLimit: configuration.timeouts.total, random: configuration.environment.random),
      lookups: LookupLine(deadline: configuration.diskPatience),
      disk: DiskPlan(
        isEnabled: hasDisk, staleAfter: configuration.freshness.staleAfter,
        showsStaleAtOnce: configuration.freshness.showsStaleAtOnce, copyLimit: budget / 4),
      locks: FetchLocks(isEnabled: preparesFetches, transferLimit: configuration.timeouts.total))
  }

  /// The current time in nanoseconds, set before each input.
  var now: Int64 {
    get { registry.now }
    set { registry.now = newValue }
  }

  // MARK: Work

  /// Returns the work for `actions`, including the attempts to stop. The attempts are removed in the same critical
  /// section as the decision, because another attempt of a fetch may begin before the earlier one is stopped. The
  /// receivers of images and results, and the awaited decodes, are determined here as well, so that these actions do not
  /// take the lock again.
  mutating func work(_ actions: [LoadAction] = [], by engine: LoadEngine) -> LoadWork {
    let actions = resolved(actions, by: engine)
    var work = LoadWork(
      actions: actions, releasedDecoders: registry.previews.takeReleasedDecoders(),
      releasedObjects: registry.takeReleasedObjects())
    // Tasks move first, so that an attempt that is stopped does not report its end to them.
    for case .moveTask(let id, let old, let new) in actions {
      guard let task = tasks[id] else { continue }
      attempts[old]?.remove(task)
      watch(task, id, new)
    }
    for action in actions {
      switch action {
      case .cancelFetch(let id), .pauseFetch(let id): work.givenUp[id] = attempts.remove(id)
      case .showMeanwhile(let ids, _): work.receivers.append(tasks(ids))
      case .deliver(let ids, _): work.receivers.append(takeTasks(ids))
      case .decode(let id, _, let key, _):
        if !key.decodes || registry.loads.tree.isAwaited(id) { work.awaitedDecodes.insert(id) }
      default: break
      }
    }
    work.releasedTasks = releasedTasks
    releasedTasks = []
    return work
  }

  /// Replaces the actions that can be performed with the lock held by what they cause: each `.serveCopy`, and each
  /// `.store` of an image that no cache takes, unless results wait for the main queue. Done in the critical section of
  /// the decision: a stored response that is being decoded meanwhile is then not decoded twice, and a load without a
  /// cache takes the lock once less.
  private mutating func resolved(_ actions: [LoadAction], by engine: LoadEngine) -> [LoadAction] {
    guard actions.contains(where: { canPerformNow($0, for: engine) }) else { return actions }
    var resolved: [LoadAction] = []
    for action in actions {
      switch action {
      case .serveCopy(let id):
        resolved += self.resolved(serveCopy(of: id, atOnce: true, by: engine), by: engine)
      case .store(let id, _, _, _) where canPerformNow(action, for: engine):
        resolved += self.resolved(registry.storeEnded(id), by: engine)
      default: resolved.append(action)
      }
    }
    return resolved
  }

  /// Returns true if `resolved` replaces an action.
  private func canPerformNow(_ action: LoadAction, for engine: LoadEngine) -> Bool {
    switch action {
    case .serveCopy: true
    case .store(_, _, let request, _):
      !engine.storesOnMainQueue && !engine.imageStorer.hasCache(for: request)
    default: false
    }
  }

  /// Shows the progress and the previews of a running attempt to a task.
  private mutating func watch(_ task: ImageTask, _ id: TaskID, _ fetch: FetchID) {
    releasedTasks += attempts[fetch]?.add(task) ?? []
    // With the lock held, so that no newer preview is shown before this one.
    if task.request.progressive != .none,
      let preview = registry.previews.newest(for: id, in: registry.loads.tree)
    {
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

  /// See `LoadEngine.start`.
  mutating func start(
    _ task: ImageTask, by engine: LoadEngine, unlessStoredSince storeCount: Int, _ lookup: LookupNotes
  ) -> Start {
    if self.storeCount != storeCount, task.request.cachePolicy != .reload { return .outOfDate }
    return isShutDown ? .isShutDown : .started(start(task, by: engine, lookup))
  }

  private mutating func start(
    _ task: ImageTask, by engine: LoadEngine, _ lookup: LookupNotes
  ) -> [LoadAction] {
    let (id, actions) = registry.start(
      Caller(task.request, task.additionalIdentifier, isPaused: task.isPaused, purpose: task.purpose))
    tasks[id] = task
    task.isStarted(as: id, by: engine)
    traceRequest(id, lookup)
    if let fetch = registry.loads.tree.fetch(of: id) { watch(task, id, fetch) }
    return actions
  }

  private func traceRequest(_ id: TaskID, _ lookup: LookupNotes) {
    if let task = tasks[id], let stages = registry.loads.tree.stages(of: id) {
      let disk = registry.fetches.disk.missReason(of: stages.fetch)
      trace.record(.requested(TraceEvent.Request(id, stages, task.request, lookup, disk: disk)))
    }
  }

  /// Returns the tasks of callers that still wait.
  func tasks(_ ids: [TaskID]) -> [ImageTask] { ids.compactMap { tasks[$0] } }

  /// Removes and returns the tasks that receive a result. They are pending until they have received it.
  private mutating func takeTasks(_ ids: [TaskID]) -> [ImageTask] {
    pending.begin(ids.count)
    return ids.compactMap { tasks.removeValue(forKey: $0) }
  }

  // MARK: Life cycle

  mutating func shutDown(cancelling: Bool) -> [LoadAction] {
    isShutDown = true
    attempts.shutDown()
    return cancelling ? registry.cancelAll() : []
  }

  var isIdle: Bool {
    registry.loads.tree.isEmpty && tasks.isEmpty && pending.isEmpty && registry.fetches.lookups.isIdle
  }

  /// Keeps a continuation until `isIdle` is true. Returns false if `isIdle` is true already.
  mutating func waitForIdle(_ continuation: CheckedContinuation<Void, Never>) -> Bool {
    pending.isAwaited = true
    guard !isIdle else {
      pending.isAwaited = !waitingForIdle.isEmpty
      return false
    }
    waitingForIdle.append(continuation)
    return true
  }

  /// Removes and returns the continuations to resume, because `isIdle` is true.
  mutating func takeIdleWaiters() -> [CheckedContinuation<Void, Never>] {
    guard !waitingForIdle.isEmpty, isIdle else { return [] }
    pending.isAwaited = false
    defer { waitingForIdle = [] }
    return waitingForIdle
  }

  // MARK: Failures

  /// Returns the remembered failure of a request, unless the request would join a running fetch.
  func rememberedFailure(of identity: RequestIdentity) -> ImageError? {
    registry.loads.tree.isFetching(identity) ? nil : failures?.error(for: identity.asSent, at: now)
  }

  /// Remembers a failure, except of a file or data URL: these are read each time, because they may change at any time
  /// and cost no network.
  private mutating func remember(_ error: ImageError, of request: ImageRequest) {
    let now = now
    if !request.isLocal { failures?.remember(error, of: request.identity.asSent, at: now) }
  }

  // MARK: Disk

  /// Handles the result of a lookup.
  ///
  /// - Parameter headers: The headers of the stored response, which may be for other request headers.
  mutating func lookedUp(
    _ id: FetchID, _ request: ImageRequest, _ find: DiskFind, _ headers: HTTPHeaders?
  ) -> [LoadAction] {
    var find = find
    if DiskUse(request.cachePolicy) == .byFreshness {
      find.failure = failures?.error(for: request.identity.asSent, at: now)
    }
    find.serverHasResponded = attempts[id]?.hasResponse ?? false
    let moved = headers.map { responded(id, $0) } ?? []
    // `Vary` may have given the fetch another identity, and with it the images that wait.
    if let identity = registry.loads.tree[id]?.request.identity, identity != request.identity {
      find.copy = find.copy?.renamed(to: identity)
    }
    return moved + registry.lookedUp(id, find)
  }

  mutating func lookupSkipped(_ id: FetchID) -> [LoadAction] {
    let failure = registry.loads.tree[id].flatMap {
      failures?.error(for: $0.request.identity.asSent, at: now)
    }
    return registry.lookupSkipped(id, failure)
  }

  // MARK: Transfers

  /// Notes that the transport of an attempt starts, after the request modifier. Returns false if the attempt was given
  /// up.
  func fetchBegins(_ receiver: FetchReceiver) -> Bool {
    guard attempts.isCurrent(receiver) else { return false }
    pending.begin()
    return true
  }

  /// Adds an attempt of a fetch. Returns `nil` if the fetch is no longer running.
  ///
  /// - Parameters:
  ///   - identity: The identity of the resumable data to continue; `nil` for none.
  ///   - hasRequestModifier: True if a request modifier precedes the transport, which then starts after `fetchBegins`.
  mutating func begin(
    _ id: FetchID, resuming identity: RequestIdentity?, hasRequestModifier: Bool,
    make: (RunningAttempts.Beginning) -> FetchReceiver
  ) -> FetchReceiver? {
    guard registry.loads.tree.isRunning(id), attempts[id] == nil else { return nil }
    if !hasRequestModifier { pending.begin() }
    let waiting = registry.tasks(of: id)
    let receiver = attempts.begin(
      id, resuming: identity, registry.takePreparation(of: id),
      spent: registry.fetches.transfers.secondsSpent(on: id),
      secondsQueued: registry.fetches.transfers.secondsQueued(id), make: make)
    for task in waiting { if let task = tasks[task] { receiver.add(task) } }
    return receiver
  }

  /// Returns true if a download waits for the next attempt, or until a caller needs the bytes again.
  func isBetweenAttempts(_ id: FetchID) -> Bool {
    if case .idle = registry.loads.tree[id]?.phase { true } else { false }
  }

  /// Returns true if the resumable data of an earlier run are of use: there are none in memory.
  func readsResumableData(of request: ImageRequest) -> Bool {
    attempts.keepsResumableData && !attempts.hasResumableData(for: request.identity.asSent)
  }

  /// Returns the request of the fetch of an attempt; `nil` if the attempt has ended.
  func request(of receiver: FetchReceiver) -> ImageRequest? {
    attempts.isCurrent(receiver) ? registry.loads.tree.runningRequest(of: receiver.id) : nil
  }

  /// Returns the server of an attempt; `nil` if the attempt has ended.
  func lane(of receiver: FetchReceiver) -> DownloadQueue.Lane? {
    attempts.isCurrent(receiver) ? registry.fetches.transfers.lane(of: receiver.id) : nil
  }

  /// Handles the head of a response; see `LoadRegistry.responded`.
  mutating func responded(
    _ receiver: FetchReceiver, _ headers: HTTPHeaders, _ credentials: AddedCredentials
  ) -> [LoadAction] {
    request(of: receiver) == nil ? [] : responded(receiver.id, headers, credentials)
  }

  private mutating func responded(
    _ id: FetchID, _ headers: HTTPHeaders, _ credentials: AddedCredentials = AddedCredentials()
  ) -> [LoadAction] {
    let (identity, actions) = registry.responded(id, headers, credentials) { [tasks] in tasks[$0]?.request }
    if let identity { attempts[id]?.setIdentity(identity.asSent) }
    for case .moveTask(let task, _, _) in actions {
      traceRequest(task, .bypassing(trace))
    }
    return actions
  }

  /// Drops a stored response that does not match the 304 of the server.
  mutating func dropCopy(of receiver: FetchReceiver) {
    if attempts.isCurrent(receiver) { registry.dropCopy(of: receiver.id) }
  }

  /// Handles the end of an attempt. An attempt that was given up is ignored.
  mutating func fetchEnded(
    _ receiver: FetchReceiver, _ end: FetchEnd, resumable: ResumableData?
  ) -> [LoadAction] {
    let id = receiver.id
    guard attempts.isCurrent(receiver) else { return [] }
    attempts.remove(id)
    // A caller may have found the images stale a moment ago.
    if !end.confirmed.isEmpty { storeCount += 1 }
    if let failure = end.failure, let request = registry.loads.tree.runningRequest(of: id) {
      remember(failure, of: request)
      if let resumable, failure.isRetryable { attempts.keep(resumable, for: request.identity.asSent) }
    }
    return registry.fetchEnded(id, end)
  }

  /// Moves the callers whose server has not responded in time to the stored response, then starts what waits for this
  /// time.
  mutating func woken(at time: Int64, by engine: LoadEngine) -> [LoadAction] {
    var actions: [LoadAction] = []
    for id in registry.overdueCopies() { actions += serveCopy(of: id, atOnce: false, by: engine) }
    return actions + registry.woken(at: time)
  }

  /// Moves callers of a fetch to the stored response. A probe for each image waits for the server's response.
  ///
  /// - Parameter atOnce: True to move only the callers that do not wait for the server.
  private mutating func serveCopy(of id: FetchID, atOnce: Bool, by engine: LoadEngine) -> [LoadAction] {
    guard registry.fetches.disk.mayServeCopy(of: id, atOnce: atOnce, in: registry.loads.tree) else {
      return []
    }
    var actions: [LoadAction] = []
    for (request, identifier) in registry.loads.tree.imagesTakingCopy(of: id, atOnce: atOnce)
    where !isShutDown {
      actions += start(ImageTask.revalidation(of: request, identifier), by: engine, .bypassing(trace))
    }
    return actions + registry.serveCopy(of: id, atOnce: atOnce)
  }

  /// Keeps requests from leaving this machine, or allows them again.
  mutating func setOffline(_ isOffline: Bool) -> [LoadAction] { registry.setOffline(isOffline) }

  mutating func networkReturned() -> [LoadAction] {
    failures?.removeAll()
    return registry.networkReturned()
  }

  // MARK: Images

  mutating func decodeEnded(
    _ id: DecodeID, _ result: Result<Image, ImageError>, seconds: Double = 0
  ) -> [LoadAction] {
    // A decode of bytes from disk says nothing about the server.
    if failures != nil, let decode = registry.loads.tree[id], case .running = decode.phase,
      decode.bytes?.source != .disk,
      let request = registry.loads.tree[decode.fetch]?.request
    {
      switch result {
      case .success: failures?.remove(request.identity.asSent)
      case .failure(let error): remember(error, of: request)
      }
    }
    return registry.decodeEnded(id, result, seconds: seconds)
  }

  mutating func storeEnded(_ id: ProcessedImageID) -> [LoadAction] {
    storeCount += 1
    return registry.storeEnded(id)
  }

  // MARK: Previews

  /// Keeps a finished preview of an image; `nil` if a transform has failed. Returns the tasks that show the preview.
  mutating func previewIsReady(_ preview: Image?, of id: ProcessedImageID, _ job: PreviewJob) -> [ImageTask] {
    guard let preview else {
      registry.previews.hasFailed(id, job)
      return []
    }
    return registry.previews.isReady(preview, of: id, job, in: registry.loads.tree).compactMap { tasks[$0] }
  }
}
