import FoundationEssentials
import Synchronization
import VitrineConcurrency
import VitrineGraphics

/// Performs the actions that `LoadRegistry` decides, with transports, threads, caches and callers.
///
/// Never calls out with the lock held, because transports, decoders, transforms and caches may be code of the
/// application.
final class LoadEngine: Sendable {
  let configuration: ImageDownloader.Configuration
  let decoder: any ImageDecoding
  let cache: (any ImageRequestCache)?
  let dataCache: (any ImageDataCache)?
  let trace: Trace
  let ledger: MemoryLedger
  let recovery: Recovery
  let connectivity = ConnectivityObservers()
  /// The number of stale images in memory, read without the lock.
  let staleCount = Atomic(0)
  var clock: any LoadingClock { configuration.clock }
  let workers: WorkerPool
  /// The threads that read the disk, started as needed: two unless the disk hangs.
  let diskReaders = WorkerPool(threads: LookupLine.threads)
  /// The thread that changes the disk cache: a single one, so that the last write wins.
  let diskWriter = WorkerPool(threads: 1)
  let state: Shared<State>
  /// True if a transport adds cookies or credentials of its own.
  private let hasCredentials = Atomic(false)

  init(
    configuration: ImageDownloader.Configuration, transports: [any DataTransport],
    decoder: any ImageDecoding, cache: (any ImageRequestCache)?, dataCache: (any ImageDataCache)? = nil
  ) {
    self.configuration = configuration
    self.decoder = decoder
    self.cache = cache
    self.dataCache = dataCache
    trace = configuration.trace
    ledger = configuration.ledger ?? MemoryLedger()
    recovery = Recovery(configuration.recovery, clock: configuration.clock)
    workers = WorkerPool(threads: configuration.decodingThreads, clock: configuration.clock)
    var registry = LoadRegistry(
      firstNumber: trace.reserveNumbers(), undecodedBytesLimit: configuration.undecodedBytesLimit,
      totalLimit: configuration.timeouts.total)
    registry.queue = DownloadQueue(configuration)
    registry.retries = configuration.retries
    registry.hasDisk = dataCache != nil
    registry.staleAfter = configuration.freshness.staleAfter
    registry.copies.limit = ledger.budget / 4
    var state = State(
      registry: registry, router: TransportRouter(transports), failures: configuration.failureMemory)
    // Resumable data count as bodies, which have half of the budget.
    state.resumableDataStore.limit = min(configuration.resumableBytesLimit, ledger.budget / 8)
    self.state = Shared(state)
    hasCredentials.store(transports.contains { $0.addsCredentials }, ordering: .relaxed)
    ledger.register(self, as: .decoding)
  }

  var transports: [any DataTransport] {
    get { state.withLock { $0.router.transports } }
    set {
      state.withLock { $0.router = TransportRouter(newValue) }
      hasCredentials.store(newValue.contains { $0.addsCredentials }, ordering: .relaxed)
    }
  }

  var addsCredentials: Bool { hasCredentials.load(ordering: .relaxed) }

  /// Returns digests of the credentials that the transport of a request would add now.
  func credentials(for request: ImageRequest) -> CredentialDigests {
    let transport = try? transport(for: request.url)
    return transport?.credentialDigests(for: request.url, headers: request.headers) ?? .init()
  }

  /// Returns the transport of a URL. Throws `.invalidURL` for a relative URL, and `.unsupportedScheme` for a scheme
  /// that no transport serves.
  func transport(for url: URL) throws(ImageError) -> any DataTransport {
    try state.withLock { $0.router }.transport(for: url)
  }

  var statistics: ImageDownloader.Statistics { state.withLock { $0.statistics } }

  var storeCount: Int { state.withLock { $0.storeCount } }

  /// True if images are stored in the cache on the main queue, where results are delivered as well, and only if a
  /// caller still waits then. False by default.
  var storesOnMainQueue: Bool {
    get { state.withLock { $0.storesOnMainQueue } }
    set { state.withLock { $0.storesOnMainQueue = newValue } }
  }

  var queue: DownloadQueue { state.withLock { $0.registry.queue } }

  /// Changes the limits or the order of downloads. Downloads that a higher limit allows start at once.
  func changeQueue(_ change: (inout DownloadQueue) -> Void) {
    perform { state in
      change(&state.registry.queue)
      return state.registry.admitted()
    }
  }

  /// Counts a load that was served from memory, or that failed before the engine was called.
  func count(_ result: Result<ImageResponse, ImageError>) {
    state.withLock { $0.statistics.count(result, times: 1) }
  }

  // MARK: Callers

  /// Starts a load, or joins running work. Does nothing and returns false if the memory lookup made when `storeCount`
  /// was read may be out of date: the cache was offered an image since then, and no fetch of these bytes is running.
  func start(_ task: ImageTask, unlessStoredSince storeCount: Int, lookup: LookupNotes) -> Bool {
    let request = task.request
    var isRefused = false
    let work = state.withLock { state -> Work? in
      if state.storeCount != storeCount, request.cachePolicy != .reload,
        !state.registry.isFetching(request.identity)
      {
        return nil
      }
      isRefused = state.isShutDown
      return isRefused ? Work() : state.work(start(task, request, lookup, &state))
    }
    if let work { perform(work) }
    if isRefused { task.settle(.failure(.shutDown)) }
    return work != nil
  }

  func start(
    _ task: ImageTask, _ request: ImageRequest, _ lookup: LookupNotes, _ state: inout State
  ) -> [LoadAction] {
    state.registry.now = clock.now
    let (id, actions) = state.registry.start(
      request, additionalIdentifier: task.additionalIdentifier, lane: .init(request.url),
      isPaused: task.isPaused, isProbe: task.isProbe)
    state.tasks[id] = task
    task.isStarted(as: id, by: self)
    if let request = state.registry.traceRequest(id, request, lookup) { trace.record(.requested(request)) }
    if let fetch = state.registry.fetch(of: id) {
      state.releasedTasks += state.transfers[fetch]?.receiver.add(task) ?? []
    }
    // With the lock held, so that no newer preview is shown before this one.
    if request.progressive != .none, let preview = state.registry.newestPreview(for: id) {
      task.show(preview)
    }
    return actions
  }

  func cancel(_ task: ImageTask) {
    perform { state in task.id.map { state.registry.cancel($0) } ?? [] }
  }

  func cancelAll() { perform { $0.registry.cancelAll() } }

  /// Applies the priority that the caller has set last.
  func settlePriority(of task: ImageTask) {
    perform { state in task.id.map { state.registry.setPriority(task.priority, of: $0) } ?? [] }
  }

  /// Applies the last `pause()` or `resume()` of the caller.
  func settlePause(of task: ImageTask) {
    perform { state in task.id.map { state.registry.setPaused(task.isPaused, $0) } ?? [] }
  }

  // MARK: Life cycle

  var isRunning: Bool { state.withLock { $0.registry.waiterCount > 0 } }

  var isShutDown: Bool { state.withLock { $0.isShutDown } }

  func shutDown(cancelling: Bool) {
    perform { state in
      state.isShutDown = true
      state.resumableDataStore = ResumableDataStore(limit: 0)
      return cancelling ? state.registry.cancelAll() : []
    }
  }

  func waitUntilIdle() async {
    repeat {
      await withCheckedContinuation { continuation in
        let isIdle = state.withLock { state in
          if !state.isIdle { state.waitingForIdle.append(continuation) }
          return state.isIdle
        }
        if isIdle { continuation.resume() }
      }
      // Jobs that have begun run to the end, even without a waiting caller.
      await withCheckedContinuation { continuation in workers.whenIdle { continuation.resume() } }
      // Another load may have begun and ended in the meantime.
    } while !(state.withLock { $0.isIdle } && workers.isIdle)
  }

  // MARK: Failures

  /// Returns the remembered failure for which `request` need not be sent. Returns `nil` for a `.reload` request,
  /// without a failure memory, and if the request would join a running fetch.
  func rememberedFailure(of request: ImageRequest) -> ImageError? {
    guard configuration.failureMemory != nil, request.cachePolicy != .reload else { return nil }
    let (identity, now) = (request.identity.asSent, clock.now)
    return state.withLock { state in
      state.registry.isFetching(request.identity) ? nil : state.failures?.error(for: identity, at: now)
    }
  }

  /// Removes the remembered failure of a request. Returns true if there was one.
  func removeFailure(of request: ImageRequest) -> Bool {
    state.withLock { $0.failures?.remove(request.identity.asSent) } ?? false
  }

  /// Removes all remembered failures. Returns true if there were any.
  func removeAllFailures() -> Bool { state.withLock { $0.failures?.removeAll() } ?? false }

  // MARK: Work

  func resume(_ waiting: [CheckedContinuation<Void, Never>]) {
    for continuation in waiting { continuation.resume() }
  }

  /// Counts a transfer, successful or not.
  func count(_ metrics: TransportMetrics) { state.withLock { $0.statistics.count(metrics) } }

  /// Calls `decide` with the lock held, then performs the actions without the lock.
  func perform(_ decide: (inout State) -> [LoadAction]) {
    perform(
      state.withLock { state in
        state.registry.now = clock.now
        return state.work(decide(&state))
      })
  }

  func perform(_ work: consuming Work) {
    // Released first, because the next decodes may need the memory.
    work.releasedDecoders = []
    work.releasedTasks = []
    for action in work.actions {
      switch action {
      case .cancelFetch(let id), .pauseFetch(let id): work.givenUp[id].map(giveUp)
      default: perform(action)
      }
    }
  }

  func perform(_ action: LoadAction) {
    switch action {
    case .lookUp(let id, let request, let priority): lookUp(id, request, priority)
    case .cancelLookUp(let id): withdrawLookUp(id)
    case .skipLookUp(let id): skipLookUp(id)
    case .keep(let bytes, let identity): keep(bytes, identity)
    case .discard(let identity): discard(identity)
    case .revalidate(let request, let identifier): revalidate(request, identifier)
    case .startFetch(let id, let request): startFetch(id, request)
    case .cancelFetch, .pauseFetch: break  // performed with the whole `Work`
    case .wake(let time):
      clock.wake(at: time) { [weak self] in self?.woken(at: time) }
    case .announce(let ids, let event): announce(ids, event)
    case .decode(let id, let body, let options, let priority): decode(id, body, options, priority)
    case .transform(let id, let image, let transforms, let priority):
      let work = ledger.beginWork()
      let reservation = MemoryReservation(image.isCounted ? 0 : image.cost, in: ledger, as: .decoding)
      let claim = MemoryClaim(image.cost, in: reservation, beside: image.isCounted ? image.cost : 0)
      let flag = CancellationFlag()
      workers.submit(id.number, priority: priority.rawValue, taking: claim, stoppedBy: flag) { [self] in
        trace.record(.transformBegan(processedImage: id.number))
        let result =
          claim.flatMap { $0.isGivenUp ? .failure($0.refusal) : nil }
          ?? Self.apply(transforms, to: image, flag.cancellation)
        if case .success(let image) = result { countAsShown(image, movedFrom: reservation) }
        reservation.end()
        trace.record(.transformEnded(processedImage: id.number))
        perform { $0.registry.transformEnded(id, result) }
        work.end()
      }
    case .cancelWork(let number): workers.cancel(number)
    case .reprioritizeWork(let number, let priority): workers.setPriority(priority.rawValue, of: number)
    case .store(let id, let image, let request, let identifier):
      guard storesOnMainQueue else { return store(id, image, request, identifier) }
      let reservation = MemoryReservation(image.isCounted ? 0 : image.cost, in: ledger, as: .decoding)
      MainActorQueue.main.post { [self] in
        reservation.end()
        if state.withLock({ $0.registry.isStoring(id) }) { store(id, image, request, identifier) }
      }
    case .deliver(let ids, let result): deliver(ids, result)
    }
  }

  private func announce(_ ids: [TaskID], _ event: ImageTask.Event) {
    let tasks = state.withLock { state in
      if case .willRetry = event { state.statistics.retries += 1 }
      return ids.compactMap { state.tasks[$0] }
    }
    for task in tasks { task.emit(event) }
  }

}
