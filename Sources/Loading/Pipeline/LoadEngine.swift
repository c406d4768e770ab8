import FoundationEssentials
import VitrineGraphics

/// Does what the registry decides: the edge between its decisions and transports, threads and callers.
///
/// Never calls out with its lock held: transports, decoders, transforms and caches are other people's code.
final class LoadEngine: Sendable {
  private struct State {
    var registry: LoadRegistry
    var router: TransportRouter
    var tasks: [TaskID: ImageTask] = [:]
    var transfers: [FetchID: Transfer] = [:]
    /// Pictures that were offered to the cache.
    var storeCount = 0
    var storesOnMainQueue = false
    /// nil unless it was asked for.
    var failures: FailureMemory?
    var statistics = ImageDownloader.Statistics()
    var partials = PartialBodies(limit: 0)
    var varying = VaryingHeaders()
    /// Transfers whose transport has not ended, those that were given up included.
    var openTransfers = 0
    var isShutDown = false
    var waitingForIdle: [CheckedContinuation<Void, Never>] = []

    /// Callers whose answer is on its way to them.
    var beingAnswered = 0

    var isIdle: Bool { registry.isEmpty && tasks.isEmpty && beingAnswered == 0 && openTransfers == 0 }

    /// Takes out what `actions` give up, in the same turn as that is decided: another transfer of the same fetch may
    /// begin before it is stopped.
    mutating func work(_ actions: [LoadAction]) -> Work {
      var work = Work(actions: actions)
      for case .cancelFetch(let id) in actions { work.givenUp[id] = transfers.removeValue(forKey: id) }
      for case .pauseFetch(let id) in actions { work.givenUp[id] = transfers.removeValue(forKey: id) }
      return work
    }

    mutating func takeIdleWaiters() -> [CheckedContinuation<Void, Never>] {
      guard isIdle else { return [] }
      defer { waitingForIdle = [] }
      return waitingForIdle
    }

    /// What lies on this machine is read each time: it may change at any time, and costs no network.
    mutating func remember(_ error: ImageError, of request: ImageRequest, at now: Int64) {
      if !request.isLocal { failures?.remember(error, of: request.identity.asSent, at: now) }
    }
  }

  /// What is to be done without the lock.
  private struct Work {
    var actions: [LoadAction] = []
    var givenUp: [FetchID: Transfer] = [:]
  }

  private struct Transfer {
    let receiver: FetchReceiver
    /// What it is of, whatever key a filter has given it.
    var identity: RequestIdentity
    /// What came at an earlier try.
    let partial: PartialBody?
    /// Seconds that earlier tries took.
    let spent: Double
    /// Whether its transport has been asked; before that a modifier may be.
    var hasBegun = false
    /// nil until the transport has returned from `start`.
    var handle: (any Cancellable)?
  }

  private let configuration: ImageDownloader.Configuration
  private let decoder: any ImageDecoding
  private let cache: (any ImageRequestCache)?
  let trace: Trace
  let ledger: MemoryLedger
  private var clock: any LoadingClock { configuration.clock }
  private let workers: WorkerPool
  private let state: Shared<State>

  init(
    configuration: ImageDownloader.Configuration, transports: [any DataTransport],
    decoder: any ImageDecoding, cache: (any ImageRequestCache)?
  ) {
    self.configuration = configuration
    self.decoder = decoder
    self.cache = cache
    trace = configuration.trace
    ledger = configuration.ledger ?? MemoryLedger()
    workers = WorkerPool(threads: configuration.decodingThreads)
    var registry = LoadRegistry(
      firstNumber: trace.reserveNumbers(), undecodedBytesLimit: configuration.undecodedBytesLimit,
      totalLimit: configuration.timeouts.total)
    registry.queue = DownloadQueue(configuration)
    registry.retries = configuration.retries
    var state = State(
      registry: registry, router: TransportRouter(transports), failures: configuration.failureMemory)
    state.partials.limit = configuration.resumableBytesLimit
    self.state = Shared(state)
  }

  var transports: [any DataTransport] {
    get { state.withLock { $0.router.transports } }
    set { state.withLock { $0.router = TransportRouter(newValue) } }
  }

  /// Throws `.invalidURL` for a relative URL, `.unsupportedScheme` for one that nobody serves.
  func transport(for url: URL) throws(ImageError) -> any DataTransport {
    try state.withLock { $0.router }.transport(for: url)
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

  private func start(
    _ task: ImageTask, _ request: ImageRequest, _ lookup: LookupNotes, _ state: inout State
  ) -> [LoadAction] {
    state.registry.now = clock.now
    let (id, actions) = state.registry.start(
      request, additionalIdentifier: task.additionalIdentifier, lane: .init(request.url),
      isPaused: task.isPaused)
    state.tasks[id] = task
    task.isStarted(as: id, by: self)
    if let request = state.registry.traceRequest(id, request, lookup) { trace.record(.requested(request)) }
    if let fetch = state.registry.fetch(of: id) { state.transfers[fetch]?.receiver.add(task) }
    return actions
  }

  func cancel(_ task: ImageTask) {
    perform { state in task.id.map { state.registry.cancel($0) } ?? [] }
  }

  func cancelAll() { perform { $0.registry.cancelAll() } }

  /// Makes it as its caller has said last.
  func settlePriority(of task: ImageTask) {
    perform { state in task.id.map { state.registry.setPriority(task.priority, of: $0) } ?? [] }
  }

  /// Makes it as its caller has said last.
  func settlePause(of task: ImageTask) {
    perform { state in task.id.map { state.registry.setPaused(task.isPaused, $0) } ?? [] }
  }

  // MARK: As a whole

  var isRunning: Bool { state.withLock { $0.registry.waiterCount > 0 } }

  var isShutDown: Bool { state.withLock { $0.isShutDown } }

  func shutDown(cancelling: Bool) {
    perform { state in
      state.isShutDown = true
      state.partials = PartialBodies(limit: 0)
      return cancelling ? state.registry.cancelAll() : []
    }
  }

  func waitUntilIdle() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        if !state.isIdle { state.waitingForIdle.append(continuation) }
        return state.isIdle
      }
      if isIdle { continuation.resume() }
    }
  }

  func networkReturned() {
    perform { state in
      _ = state.failures?.removeAll()
      return state.registry.networkReturned()
    }
  }

  // MARK: Headers that vary

  /// The identity with those headers counted that the server has said to matter.
  func counted(_ identity: RequestIdentity) -> RequestIdentity {
    identity.counting(state.withLock { $0.varying.names(for: identity.url) })
  }

  /// The head of an answer is here. Where it names headers that nobody knew to matter, it is for those who sent the
  /// same; the others ask again, each for its own.
  func responseArrived(_ response: TransportResponse, of receiver: FetchReceiver) {
    guard response.headers["Vary"] != nil else { return }
    let moved = state.withLock { state -> Work in
      guard state.transfers[receiver.id]?.receiver === receiver,
        let fetched = state.registry.request(of: receiver.id)?.identity,
        state.varying.learn(from: response.headers, for: fetched.url)
      else { return Work() }
      let names = state.varying.names(for: fetched.url)
      let answered = fetched.counting(names)
      // What was learnt before may have been forgotten meanwhile.
      let isUnderWay = answered != fetched && state.registry.isFetching(answered)
      var actions: [LoadAction] = []
      var others: [(ImageTask, ImageRequest)] = []
      for id in state.registry.tasks(of: receiver.id) {
        guard let task = state.tasks[id] else { continue }
        var request = task.request
        request.identity = request.identity.counting(names)
        if request.identity == answered, !isUnderWay { continue }
        request.priority = task.priority
        state.tasks[id] = nil
        receiver.remove(task)
        actions += state.registry.leave(id)
        others.append((task, request))
      }
      state.registry.setIdentity(answered, of: receiver.id)
      state.transfers[receiver.id]?.identity = answered.asSent
      for (task, request) in others {
        actions += start(task, request, LookupNotes(began: trace.now, memory: .bypassed), &state)
      }
      return state.work(actions)
    }
    perform(moved)
  }

  // MARK: Failures

  /// Why `request` need not be sent, if it failed not long ago and nothing runs that it could join.
  func rememberedFailure(of request: ImageRequest) -> ImageError? {
    guard configuration.failureMemory != nil, request.cachePolicy != .reload else { return nil }
    let (identity, now) = (request.identity.asSent, clock.now)
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

  /// The end of a try of a fetch. One that was given up has no entry any more, and tells nobody.
  func fetchEnded(_ receiver: FetchReceiver, _ end: FetchEnd, partial: PartialBody?) {
    let id = receiver.id
    guard case .bytes(let bytes) = end.outcome, !bytes.body.isEmpty, let modify = configuration.bodyModifier,
      state.withLock({ $0.transfers[id]?.receiver === receiver })
    else { return settleFetch(receiver, end, partial) }
    // Nobody else uses its number while it is a fetch that runs.
    workers.submit(id.number, priority: .normal) { [self] in
      let result = Result<[UInt8], ImageError>.of(ImageError.responseRefused) {
        try modify(bytes.body, bytes.response)
      }
      let modified = result.map {
        FetchedBytes(body: $0, response: bytes.response, metrics: bytes.metrics, hold: bytes.hold)
      }
      settleFetch(receiver, FetchEnd(modified, like: end), nil)
    }
  }

  private func settleFetch(_ receiver: FetchReceiver, _ end: FetchEnd, _ partial: PartialBody?) {
    let id = receiver.id
    var end = end
    // A retry is given what is left of the time; what the caller has set is what has passed.
    if case .failed(.timedOut(.total)) = end.outcome {
      end.outcome = .failed(.timedOut(.total(seconds: configuration.timeouts.total)))
    }
    if let headers = end.response?.headers {
      end.retryAfter = RetryAfter.seconds(headers, wallClock: configuration.wallClock)
    }
    var handle: (any Cancellable)?
    perform { state in
      guard state.transfers[id]?.receiver === receiver else { return [] }
      handle = state.transfers.removeValue(forKey: id)?.handle
      if end.isRest { state.statistics.resumed += 1 }
      if let request = state.registry.request(of: id) {
        switch end.outcome {
        case .bytes(let bytes) where bytes.body.isEmpty:
          state.remember(.emptyBody, of: request, at: state.registry.now)
        case .bytes, .needsWhole: break
        case .failed(let error):
          state.remember(error, of: request, at: state.registry.now)
          if let partial, error.mayHeal { state.partials.keep(partial, for: request.identity.asSent) }
        }
      }
      return state.registry.fetchEnded(id, end)
    }
    // What was refused before its end is of no use any more.
    if !receiver.isEnded { handle?.cancel() }
  }

  /// A transport has told a receiver its end.
  func transportEnded() {
    resume(
      state.withLock { state in
        state.openTransfers -= 1
        return state.takeIdleWaiters()
      })
  }

  private func resume(_ waiting: [CheckedContinuation<Void, Never>]) {
    for continuation in waiting { continuation.resume() }
  }

  /// Counts a transfer, whatever became of it.
  func count(_ metrics: TransportMetrics) { state.withLock { $0.statistics.count(metrics) } }

  /// Asks the registry with the lock held, then does what it says without.
  private func perform(_ decide: (inout State) -> [LoadAction]) {
    perform(
      state.withLock { state in
        state.registry.now = clock.now
        return state.work(decide(&state))
      })
  }

  private func perform(_ work: Work) {
    for action in work.actions {
      switch action {
      case .cancelFetch(let id), .pauseFetch(let id): work.givenUp[id].map(giveUp)
      default: perform(action)
      }
    }
  }

  private func perform(_ action: LoadAction) {
    switch action {
    case .startFetch(let id, let request): startFetch(id, request)
    case .cancelFetch, .pauseFetch: break  // have taken a transfer out, which is stopped with it
    case .wake(let time):
      clock.wake(at: time) { [weak self] in self?.perform { $0.registry.woken(at: time) } }
    case .announce(let ids, let event): announce(ids, event)
    case .decode(let id, let body, let options, let priority): decode(id, body, options, priority)
    case .transform(let id, let image, let transforms, let priority):
      let hold = MemoryHold(image.cost, in: ledger, as: .decoding)
      workers.submit(id.number, priority: priority, taking: .init(image.cost, in: hold)) { [self] in
        trace.record(.transformBegan(picture: id.number))
        let result = Self.apply(transforms, to: image)
        hold.end()
        trace.record(.transformEnded(picture: id.number))
        perform { $0.registry.transformEnded(id, result) }
      }
    case .cancelWork(let number): workers.cancel(number)
    case .reprioritizeWork(let number, let priority): workers.setPriority(priority, of: number)
    case .store(let id, let image, let request, let identifier):
      guard storesOnMainQueue else { return store(id, image, request, identifier) }
      let hold = MemoryHold(image.cost, in: ledger, as: .decoding)
      Mailbox.main.post { [self] in
        hold.end()
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

  /// Stops a transfer; what has come of it is kept for whoever asks next.
  private func giveUp(_ transfer: Transfer) {
    let partial = transfer.receiver.abandon()
    if let partial { state.withLock { $0.partials.keep(partial, for: transfer.identity) } }
    transfer.handle?.cancel()
  }

  private func startFetch(_ id: FetchID, _ request: ImageRequest) {
    guard let transfer = prepare(id, request) else { return }
    let receiver = transfer.receiver
    trace.record(.fetchBegan(fetch: id.number))
    let order = order(request, transfer)
    guard let modify = configuration.requestModifier else { return begin(receiver, order) }
    let task = Task { [weak self] in
      let result = await Result.of(ImageError.requestRefused) { try await modify(order) }
      switch result {
      case .success(let order): self?.begin(receiver, order)
      case .failure(let error):
        self?.trace.record(.fetchEnded(fetch: id.number, .init()))
        self?.settleFetch(receiver, FetchEnd(.failed(error)), nil)
      }
    }
    // The transfer may have begun by now, and is what is to be stopped then.
    keep(CancellableTask(task), of: receiver, insteadOfAnother: false)
    limitTime(of: receiver) { _, state in state.transfers[id].map { !$0.hasBegun } ?? false }
  }

  /// A modifier has no longer than a whole load may take.
  func limitTime(of receiver: FetchReceiver) {
    limitTime(of: receiver) { receiver, _ in receiver.isModifying }
  }

  private func limitTime(
    of receiver: FetchReceiver, while isModifying: @escaping @Sendable (FetchReceiver, State) -> Bool
  ) {
    let limit = configuration.timeouts.total
    guard limit < 1e9 else { return }
    clock.wake(at: clock.now.advanced(bySeconds: max(0, limit))) { [weak self, weak receiver] in
      guard let self, let receiver, state.withLock({ isModifying(receiver, $0) }) else { return }
      settleFetch(receiver, FetchEnd(.failed(.timedOut(.total(seconds: limit)))), receiver.abandon())
    }
  }

  /// The receiver of a try; nil for a fetch that nobody wants any more.
  private func prepare(_ id: FetchID, _ request: ImageRequest) -> Transfer? {
    let isLocal = request.isLocal
    let identity = request.identity.asSent
    return state.withLock { state in
      guard state.registry.isRunning(id), state.transfers[id] == nil else { return nil }
      let asksForPart = request.headers["Range"] != nil
      let partial = isLocal || asksForPart ? nil : state.partials.take(identity)
      let expectations = AnswerAssembly.Expectations(
        acceptance: isLocal ? nil : configuration.acceptance, allowsPart: asksForPart,
        isModified: configuration.responseModifier != nil)
      let receiver = FetchReceiver(
        id: id, isLocal: isLocal, answer: AnswerAssembly(expectations, resuming: partial),
        configuration: configuration, secondsQueued: state.registry.secondsQueued(id), engine: self)
      for task in state.registry.tasks(of: id).compactMap({ state.tasks[$0] }) { receiver.add(task) }
      let transfer = Transfer(
        receiver: receiver, identity: identity, partial: partial, spent: state.registry.secondsSpent(on: id))
      state.transfers[id] = transfer
      return transfer
    }
  }

  private func order(_ request: ImageRequest, _ transfer: Transfer) -> TransportRequest {
    let partial = transfer.partial
    let sentHeaders = request.sentHeaders
    let headers = partial?.adding(to: sentHeaders) ?? sentHeaders
    var timeouts = configuration.timeouts
    timeouts.total -= transfer.spent
    return TransportRequest(
      url: request.url, headers: headers,
      bodyLimit: max(0, configuration.bodyLimit - (partial?.bytes.count ?? 0)),
      timeouts: timeouts,
      // A modifier may make any answer an acceptable one.
      acceptableStatuses: configuration.responseModifier == nil
        ? configuration.acceptance.statuses + (partial == nil ? [] : [206...206]) : [200...599])
  }

  private func begin(_ receiver: FetchReceiver, _ order: TransportRequest) {
    let isWanted = state.withLock { state in
      guard state.transfers[receiver.id]?.receiver === receiver else { return false }
      state.transfers[receiver.id]?.hasBegun = true
      state.openTransfers += 1
      return true
    }
    guard isWanted else { return }
    receiver.countsAsActivity(of: configuration.networkActivity)
    do {
      keep(try transport(for: order.url).start(order, receiver: receiver), of: receiver)
    } catch {
      receiver.transportDidFinish(.failure(error))
    }
  }

  /// Whoever gave up while it was started had nothing to cancel.
  private func keep(_ handle: any Cancellable, of receiver: FetchReceiver, insteadOfAnother: Bool = true) {
    let isStillWanted = state.withLock { state in
      guard state.transfers[receiver.id]?.receiver === receiver else { return false }
      if insteadOfAnother || state.transfers[receiver.id]?.handle == nil {
        state.transfers[receiver.id]?.handle = handle
      }
      return true
    }
    if !isStillWanted { handle.cancel() }
  }

  private func decode(
    _ id: DecodeID, _ body: [UInt8], _ key: DecodeKey, _ priority: ImageRequest.Priority
  ) {
    let options = DecodeOptions(
      target: key.target, pixelFormat: configuration.pixelFormat, limits: key.limits)
    let hold = MemoryHold(0, in: ledger, as: .decoding)
    let need = decoder.memoryNeeded(for: body, options: options)
    workers.submit(id.number, priority: priority, taking: .init(need, in: hold)) { [self] in
      ledger.lookAround()
      trace.record(.decodeBegan(decode: id.number))
      let result = Result { () throws(ImageError) in try decoder.decode(body, options: options) }
      // Whoever keeps the picture counts it.
      hold.end()
      trace.record(.decodeEnded(id, result))
      perform { state in
        let now = state.registry.now
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
      state.beingAnswered += ids.count
      return ids.compactMap { state.tasks.removeValue(forKey: $0) }
    }
    let outcome = TraceEvent.Outcome(result)
    for id in ids { trace.recordAnswer(id.number, outcome) }
    for task in tasks { task.settle(task.request.keepsData ? result : result.withoutData) }
    resume(
      state.withLock { state in
        state.beingAnswered -= ids.count
        return state.takeIdleWaiters()
      })
  }
}

/// A Swift task in the clothes of everything else that can be given up.
private final class CancellableTask: Cancellable {
  private let task: Task<Void, Never>

  init(_ task: Task<Void, Never>) { self.task = task }

  func cancel() { task.cancel() }
}

extension Result<ImageResponse, ImageError> {
  /// For callers who have not asked for the bytes.
  fileprivate var withoutData: Self {
    map { response in
      var response = response
      response.data = nil
      return response
    }
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
