import Synchronization
import VitrineGraphics

/// Does what the registry decides: the edge between its decisions and transports, threads and callers.
///
/// Never calls out with its lock held: transports, decoders, transforms and caches are other people's code.
final class LoadEngine: Sendable {
  private struct State {
    var registry: LoadRegistry
    var tasks: [TaskID: ImageTask] = [:]
    var transfers: [FetchID: Transfer] = [:]
    /// Pictures that were offered to the cache.
    var storeCount = 0
    var storesOnMainQueue = false
    /// nil unless it was asked for.
    var failures: FailureMemory?
    var statistics = ImageDownloader.Statistics()

    /// What lies on this machine is read each time: it may change at any time, and costs no network.
    mutating func remember(_ error: ImageError, of request: ImageRequest, at now: Int64) {
      if !request.isLocal { failures?.remember(error, of: request.identity.asSent, at: now) }
    }
  }

  private struct Transfer {
    let receiver: FetchReceiver
    /// nil until the transport has returned from `start`.
    var handle: (any Cancellable)?
  }

  private let configuration: ImageDownloader.Configuration
  private let router: TransportRouter
  private let decoder: any ImageDecoding
  private let cache: (any ImageRequestCache)?
  let trace: Trace
  private let workers: WorkerPool
  private let state: Mutex<State>

  init(
    configuration: ImageDownloader.Configuration, router: TransportRouter, decoder: any ImageDecoding,
    cache: (any ImageRequestCache)?
  ) {
    self.configuration = configuration
    self.router = router
    self.decoder = decoder
    self.cache = cache
    trace = configuration.trace
    workers = WorkerPool(threads: configuration.decodingThreads)
    var registry = LoadRegistry(
      firstNumber: trace.reserveNumbers(), undecodedBytesLimit: configuration.undecodedBytesLimit)
    registry.queue = DownloadQueue(configuration)
    state = Mutex(State(registry: registry, failures: configuration.failureMemory))
  }

  var statistics: ImageDownloader.Statistics { state.withLock { $0.statistics } }

  var storeCount: Int { state.withLock { $0.storeCount } }

  /// Whether pictures go into the cache on the main queue, and only those that somebody still waits for then, as
  /// everybody hears on it too.
  var storesOnMainQueue: Bool {
    get { state.withLock { $0.storesOnMainQueue } }
    set { state.withLock { $0.storesOnMainQueue = newValue } }
  }

  var queue: DownloadQueue { state.withLock { $0.registry.queue } }

  /// Bounds and order of the downloads; what a wider bound allows starts at once.
  func changeQueue(_ change: (inout DownloadQueue) -> Void) {
    perform { state in
      change(&state.registry.queue)
      return state.registry.admitted()
    }
  }

  /// Counts a load that memory served, or that failed before it came here.
  func count(_ result: Result<ImageResponse, ImageError>) {
    state.withLock { $0.statistics.count(result, times: 1) }
  }

  // MARK: Callers

  /// Starts a load, or joins what runs for it. Does nothing and returns false where a lookup that was made
  /// when `storeCount` was read may be out of date: a load has ended since, and none runs.
  func start(_ task: ImageTask, unlessStoredSince storeCount: Int, lookup: LookupNotes) -> Bool {
    let actions = state.withLock { state -> [LoadAction]? in
      if state.storeCount != storeCount, task.request.cachePolicy != .reload,
        !state.registry.isFetching(task.request.identity)
      {
        return nil
      }
      let (id, actions) = state.registry.start(
        task.request, additionalIdentifier: task.additionalIdentifier, lane: .init(task.request.url))
      state.tasks[id] = task
      task.isStarted(as: id, by: self)
      if let request = state.registry.traceRequest(id, task.request, lookup) {
        trace.record(.requested(request))
      }
      if let fetch = state.registry.fetch(of: id) { state.transfers[fetch]?.receiver.add(task) }
      return actions
    }
    actions?.forEach(perform)
    return actions != nil
  }

  func cancel(_ task: TaskID) { perform { $0.registry.cancel(task) } }

  func cancelAll() { perform { $0.registry.cancelAll() } }

  func setPriority(_ priority: ImageRequest.Priority, of task: TaskID) {
    perform { $0.registry.setPriority(priority, of: task) }
  }

  // MARK: Failures

  /// Why `request` need not be sent, if it failed not long ago and nothing runs that it could join.
  func rememberedFailure(of request: ImageRequest) -> ImageError? {
    guard configuration.failureMemory != nil, request.cachePolicy != .reload else { return nil }
    let (identity, now) = (request.identity.asSent, trace.now)
    return state.withLock { state in
      state.registry.isFetching(request.identity) ? nil : state.failures?.error(for: identity, at: now)
    }
  }

  /// Whether there was one.
  func removeFailure(of request: ImageRequest) -> Bool {
    state.withLock { $0.failures?.remove(request.identity.asSent) } ?? false
  }

  /// Whether there was any.
  func removeAllFailures() -> Bool { state.withLock { $0.failures?.removeAll() } ?? false }

  // MARK: Work

  /// The end of a transfer. One that was cancelled has no entry any more, and tells nobody.
  func fetchEnded(_ id: FetchID, _ result: Result<FetchedBytes, ImageError>) {
    let now = trace.now
    perform { state in
      state.transfers[id] = nil
      if let request = state.registry.request(of: id) {
        switch result {
        case .success(let bytes) where bytes.body.isEmpty: state.remember(.emptyBody, of: request, at: now)
        case .success: break
        case .failure(let error): state.remember(error, of: request, at: now)
        }
      }
      return state.registry.fetchEnded(id, result)
    }
  }

  /// Counts a transfer, whatever became of it.
  func count(_ metrics: TransportMetrics) { state.withLock { $0.statistics.count(metrics) } }

  /// Asks the registry with the lock held, then does what it says without.
  private func perform(_ decide: (inout State) -> [LoadAction]) {
    for action in state.withLock({ decide(&$0) }) { perform(action) }
  }

  private func perform(_ action: LoadAction) {
    switch action {
    case .startFetch(let id, let request): startFetch(id, request)
    case .cancelFetch(let id): state.withLock { $0.transfers.removeValue(forKey: id) }?.handle?.cancel()
    case .decode(let id, let body, let options, let priority): decode(id, body, options, priority)
    case .transform(let id, let image, let transforms, let priority):
      workers.submit(id.number, priority: priority) { [self] in
        trace.record(.transformBegan(picture: id.number))
        let result = Self.apply(transforms, to: image)
        trace.record(.transformEnded(picture: id.number))
        perform { $0.registry.transformEnded(id, result) }
      }
    case .cancelWork(let number): workers.cancel(number)
    case .reprioritizeWork(let number, let priority): workers.setPriority(priority, of: number)
    case .store(let id, let image, let request, let identifier):
      guard storesOnMainQueue else { return store(id, image, request, identifier) }
      Mailbox.main.post { [self] in
        if state.withLock({ $0.registry.isStoring(id) }) { store(id, image, request, identifier) }
      }
    case .deliver(let ids, let result): deliver(ids, result)
    }
  }

  private func startFetch(_ id: FetchID, _ request: ImageRequest) {
    let receiver = FetchReceiver(id: id, isLocal: request.isLocal, engine: self)
    let isWanted = state.withLock { state in
      guard state.registry.isRunning(id) else { return false }
      for task in state.registry.tasks(of: id).compactMap({ state.tasks[$0] }) { receiver.add(task) }
      state.transfers[id] = Transfer(receiver: receiver)
      return true
    }
    guard isWanted else { return }
    trace.record(.fetchBegan(fetch: id.number))
    receiver.countsAsActivity(of: configuration.networkActivity)
    do {
      let handle = try router.transport(for: request.url).start(
        TransportRequest(
          url: request.url, headers: request.sentHeaders, bodyLimit: configuration.bodyLimit,
          timeouts: configuration.timeouts),
        receiver: receiver)
      // Whoever cancelled while the transport started had no handle to cancel with.
      let isStillWanted = state.withLock { state in
        guard state.transfers[id] != nil else { return false }
        state.transfers[id]?.handle = handle
        return true
      }
      if !isStillWanted { handle.cancel() }
    } catch {
      fetchEnded(id, .failure(error))
    }
  }

  private func decode(
    _ id: DecodeID, _ body: [UInt8], _ key: DecodeKey, _ priority: ImageRequest.Priority
  ) {
    let options = DecodeOptions(
      target: key.target, pixelFormat: configuration.pixelFormat, limits: key.limits)
    workers.submit(id.number, priority: priority) { [self] in
      trace.record(.decodeBegan(decode: id.number))
      let result = Result { () throws(ImageError) in try decoder.decode(body, options: options) }
      trace.record(.decodeEnded(id, result))
      let now = trace.now
      perform { state in
        if let request = state.registry.request(of: id) {
          switch result {
          case .success: state.failures?.remove(request.identity.asSent)
          case .failure(let error): state.remember(error, of: request, at: now)
          }
        }
        return state.registry.decodeEnded(id, result)
      }
    }
  }

  private static func apply(
    _ transforms: [any ImageTransform], to image: Image
  ) -> Result<Image, ImageError> {
    Result { () throws(ImageError) in
      var image = image
      for transform in transforms {
        image = try transform.apply(to: image).claimingNoMore(than: image)
      }
      return image
    }
  }

  private func store(
    _ id: PictureID, _ image: Image, _ request: ImageRequest, _ identifier: String?
  ) {
    if let cache = request.cache(insteadOf: cache),
      cache.shouldCache(image, for: request, additionalIdentifier: identifier)
    {
      // What was asked for anew replaces every size of what was there.
      if request.cachePolicy == .reload { cache.removeImage(for: request, additionalIdentifier: identifier) }
      cache.insert(image, for: request, additionalIdentifier: identifier)
    }
    perform { state in
      state.storeCount += 1
      return state.registry.storeEnded(id)
    }
  }

  private func deliver(_ ids: [TaskID], _ result: Result<ImageResponse, ImageError>) {
    let tasks = state.withLock { state in
      state.statistics.count(result, times: ids.count)
      return ids.compactMap { state.tasks.removeValue(forKey: $0) }
    }
    let outcome = TraceEvent.Outcome(result)
    for id in ids { trace.recordAnswer(id.number, outcome) }
    for task in tasks { task.settle(result) }
  }
}

extension Image {
  /// The image with a source size in proportion, where a transform has forgotten that it was given less than
  /// the whole picture: a slot that needs more pixels must not be served by it.
  fileprivate func claimingNoMore(than input: Image) -> Image {
    guard isFullSize, !input.isFullSize else { return self }
    return Image(
      frames: frames, scale: scale, format: format,
      sourceWidth: max(pixelWidth + 1, pixelWidth * input.sourceWidth / input.pixelWidth),
      sourceHeight: max(pixelHeight + 1, pixelHeight * input.sourceHeight / input.pixelHeight))
  }
}
