import Dispatch
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
  let dataCache: (any ImageDataCache)?
  let pixelCache: (any ImagePixelCache)?
  let ledger: MemoryLedger
  let trace: Trace
  let recovery: Recovery
  let connectivity = ConnectivityObservers()
  let transports: TransportTable
  let diskWriter: DiskWriter
  let staleImages: StaleImageRemover
  let liveStreams = LiveStreams()
  let liveFrames: LiveFrameMaker
  /// Nil for a decoder that decodes images only as a whole.
  let regionMaker: RegionMaker?
  private let diskReader: DiskReader
  /// Nil if no pixels are stored.
  private let pixelWriter: PixelWriter?
  let preparer: FetchPreparer
  private let workers: WorkerPool
  private let imageMaker: ImageMaker
  let imageStorer: ImageStorer
  private let transfers: TransferRunner
  private let previews: PreviewRunner
  private let unneededMemory: UnneededMemory
  private let networkReturns = Shared(NetworkReturns())
  private let state: Shared<LoadState>
  private let pending = PendingWork()
  /// Has a lock of its own, so that counting does not wait for the lock of `state`. That lock may be held, and no other
  /// is taken meanwhile.
  private let counters = Shared(ImageDownloader.Statistics())
  private let storingOnMainQueue = Atomic(false)
  /// The published value of `LoadRegistry.isOffline`, which is read without the lock.
  private let offline = Atomic(false)

  var clock: any LoadingClock { configuration.environment.clock }

  init(
    configuration: ImageDownloader.Configuration, transports: [any DataTransport],
    decoder: any ImageDecoding, cache: (any ImageRequestCache)?, dataCache: (any ImageDataCache)? = nil,
    pixelCache: (any ImagePixelCache)? = nil
  ) {
    let ledger = configuration.memory.ledger ?? MemoryLedger()
    let transports = TransportTable(transports)
    let clock = configuration.environment.clock
    self.configuration = configuration
    self.decoder = decoder
    self.dataCache = dataCache
    self.pixelCache = pixelCache
    self.ledger = ledger
    self.transports = transports
    trace = configuration.environment.trace
    recovery = Recovery(
      configuration.recovery, clock: clock, random: configuration.environment.random)
    let rules = StoredResponseRules(configuration)
    let countsImages = cache == nil || cache is MemoryImageCache
    let diskWriter = DiskWriter(
      dataCache, pixels: pixelCache, transports: transports, ledger: ledger,
      keepsAll: configuration.memory.keepsUnwritten, clock: clock)
    let pixelVariants = pixelCache == nil ? nil : PixelVariants(decoder, configuration)
    self.diskWriter = diskWriter
    pixelWriter = pixelVariants.map {
      PixelWriter(
        $0, to: diskWriter, keepsAll: configuration.memory.keepsUnwritten, clock: clock)
    }
    let pixelReader = PixelReader(
      dataCache, pixelCache, pixelVariants, ledger: ledger, countsImages: countsImages)
    diskReader = DiskReader(
      dataCache, pixels: pixelReader, writer: diskWriter, transports: transports, rules: rules,
      configuration: configuration, ledger: ledger)
    preparer = FetchPreparer(
      dataCache, writer: diskWriter, transports: transports, ledger: ledger, clock: clock)
    staleImages = StaleImageRemover(from: cache, after: configuration.freshness.staleInMemory, clock: clock)
    workers = WorkerPool(threads: configuration.decoding.threads, clock: clock)
    let bodies = SharedBodyPool()
    imageMaker = ImageMaker(
      decoder, workers: workers, ledger: ledger, bodies: bodies, configuration: configuration,
      countsImages: countsImages)
    liveFrames = LiveFrameMaker(imageMaker, workers)
    regionMaker = RegionMaker(
      decoder, workers: workers, ledger: ledger, pixelFormat: configuration.decoding.pixelFormat)
    state = Shared(
      LoadState(
        configuration, hasDisk: dataCache != nil, preparesFetches: dataCache?.preparesFetches ?? false,
        budget: ledger.budget, pending: pending))
    transfers = TransferRunner(state, rules, workers, bodies)
    imageStorer = ImageStorer(state, cache, staleImages, rules, hasDisk: dataCache != nil, clock: clock)
    previews = PreviewRunner(
      state,
      PreviewMaker(
        decoder, workers: workers, ledger: ledger, pixelFormat: configuration.decoding.pixelFormat),
      configuration)
    unneededMemory = UnneededMemory(state, workers: workers, ledger: ledger)
    diskWriter.whenBacklogChanges { [weak self] in self?.backlogChanged() }
  }

  var statistics: ImageDownloader.Statistics { counters.withLock { $0 } }

  var storeCount: Int { state.withLock { $0.storeCount } }

  /// True if images are stored in the cache on the main queue, where results are delivered as well, and only if a
  /// caller still waits then. False by default.
  var storesOnMainQueue: Bool {
    get { storingOnMainQueue.load(ordering: .relaxed) }
    set { storingOnMainQueue.store(newValue, ordering: .relaxed) }
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
    counters.withLock { $0.count(result, times: 1) }
  }

  /// Counts a transfer that completed a body from resumable data.
  func countResumed() { counters.withLock { $0.resumed += 1 } }

  /// Returns the identity including the headers that the server has named in `Vary`.
  func counted(_ identity: RequestIdentity) -> RequestIdentity {
    state.withLock { $0.registry.varying.counting(identity) }
  }

  /// Returns true if a request that the memory cache cannot serve may be served from disk.
  func readsDisk(for request: ImageRequest) -> Bool {
    dataCache != nil && request.cache.usesDisk && !request.isLocal
      && DiskUse(request.cachePolicy) == .byFreshness
  }

  /// True if the body of a URL is the content of a file on this machine, which may be read in parts.
  func readsFile(of url: URL) -> Bool {
    guard url.scheme?.lowercased() == "file", (try? transports.transport(for: url)) is LocalTransport else {
      return false
    }
    let host = url.host()?.lowercased() ?? ""
    return host.isEmpty || host == "localhost"
  }

  /// Returns the function that finds the stored body of a request, to be called on a worker thread; `nil` if bodies are
  /// not read in parts.
  func storedBody(of request: ImageRequest) -> (@Sendable () -> RegionBytes?)? {
    guard let cache = dataCache as? any StoredBodyReading, request.cache.usesDisk, !request.isLocal,
      configuration.responses.bodyModifier == nil
    else { return nil }
    return { [transports] in
      guard let body = cache.storedBody(for: transports.onDisk(request.identity)),
        body.response.matches(request.sentHeaders, credentials: request.identity.credentials)
      else { return nil }
      return RegionBytes(body.bytes) { body.digest }
    }
  }

  /// False while late lookups are under way.
  var isDiskResponding: Bool { state.withLock { !$0.registry.fetches.lookups.hasLate } }

  /// True if no disk lookup is running, except lookups that have exceeded their deadline.
  var areLookupsIdle: Bool { state.withLock { $0.registry.fetches.lookups.isIdle } }

  /// True while the disk or a worker is busy, for tests: a test that sets the clock advances the time only while all
  /// wait for the network or for another process.
  var isBusy: Bool {
    let isDiskBusy = state.withLock {
      !$0.registry.fetches.locks.isIdle || !$0.registry.fetches.lookups.isIdle
    }
    return isDiskBusy || !workers.isIdle || diskWriter.isBusy || !preparer.isIdle
      || pixelWriter?.isBusy == true
  }

  // MARK: Callers

  /// Starts a load, or joins running work. Does nothing and returns false if the memory lookup made when `storeCount`
  /// was read may be out of date, because the cache was offered an image since then.
  func start(_ task: ImageTask, unlessStoredSince storeCount: Int, lookup: LookupNotes) -> Bool {
    let (start, work) = state.withLock { state in
      state.now = clock.now
      let start = state.start(task, by: self, unlessStoredSince: storeCount, lookup)
      if case .started(let actions) = start { return (start, state.work(actions, by: self)) }
      return (start, LoadWork())
    }
    switch start {
    case .started:
      if task.purpose.isSlot { slotBegan() }
      perform(work)
    case .isShutDown: task.settle(.failure(.shutDown))
    case .outOfDate: return false
    }
    return true
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

  var isRunning: Bool { state.withLock { $0.registry.loads.tree.waiterCount > 0 } }

  var isShutDown: Bool { state.withLock { $0.isShutDown } }

  func shutDown(cancelling: Bool) {
    perform { $0.shutDown(cancelling: cancelling) }
    // A stream does not end by itself.
    liveStreams.forEach { $0.fail(.shutDown) }
  }

  func waitUntilIdle() async {
    repeat {
      await withCheckedContinuation { continuation in
        if !state.withLock({ $0.waitForIdle(continuation) }) { continuation.resume() }
      }
      // Jobs that have begun run to the end, even without a waiting caller.
      await withCheckedContinuation { continuation in workers.whenIdle { continuation.resume() } }
      await withCheckedContinuation { continuation in whenWritten { continuation.resume() } }
      await preparer.waitUntilIdle(within: DiskWrites.limit, clock)
      // Another load may have begun and ended in the meantime.
    } while !(state.withLock { $0.isIdle } && workers.isIdle && isWritten)
  }

  /// True if nothing waits to be written, or if the disk hangs.
  private var isWritten: Bool { pixelWriter?.isIdle != false && diskWriter.isIdle }

  /// Calls `body` when everything that waits at the time of the call is written, or if the disk hangs.
  private func whenWritten(_ body: @escaping @Sendable () -> Void) {
    // Pixels are written only while nothing else waits, so the responses come first if the time is limited.
    diskWriter.writeHeldResponses()
    guard let pixelWriter else { return diskWriter.whenIdle(body) }
    pixelWriter.whenWritten { [diskWriter] in diskWriter.whenIdle(body) }
  }

  /// Returns when the pixels made so far are written, or could not be.
  func waitForPixels() async {
    guard let pixelWriter else { return }
    await withCheckedContinuation { continuation in pixelWriter.whenWritten { continuation.resume() } }
  }

  /// The number of images whose pixels are worth storing and were not stored.
  var lostPixelCount: Int { pixelWriter?.lostCount ?? 0 }

  private func resumeIdleWaiters() {
    guard pending.isAwaited else { return }
    for continuation in state.withLock({ $0.takeIdleWaiters() }) { continuation.resume() }
  }

  // MARK: Failures

  /// Returns the remembered failure for which `request` need not be sent. Returns `nil` for a `.reload` request,
  /// without a failure memory, and if the request would join a running fetch.
  func rememberedFailure(of request: ImageRequest) -> ImageError? {
    guard configuration.failureMemory != nil, request.cachePolicy != .reload else { return nil }
    return state.withLock { state in
      state.now = clock.now
      return state.rememberedFailure(of: request.identity)
    }
  }

  /// Removes the remembered failure of a request. Returns true if there was one.
  func removeFailure(of request: ImageRequest) -> Bool {
    state.withLock { $0.failures?.remove(request.identity.asSent) ?? false }
  }

  /// Removes all remembered failures. Returns true if there were any.
  func removeAllFailures() -> Bool { state.withLock { $0.failures?.removeAll() ?? false } }

  // MARK: Work

  /// Calls `decide` with the lock held, then performs the actions without the lock.
  func perform(_ decide: (inout LoadState) -> [LoadAction]) {
    perform(
      state.withLock { state in
        state.now = clock.now
        return state.work(decide(&state), by: self)
      })
  }

  private func perform(_ work: consuming LoadWork) {
    // Released first, because the next decodes may need the memory.
    work.releasedDecoders = []
    work.releasedTasks = []
    work.releasedObjects = []
    var receivers = work.receivers.makeIterator()
    for action in work.actions {
      switch action {
      case .cancelFetch(let id): work.givenUp[id].map { transfers.giveUp($0, for: self) }
      case .pauseFetch(let id): work.givenUp[id].map { transfers.giveUp($0, isPause: true, for: self) }
      case .showMeanwhile(_, let image): for task in receivers.next() ?? [] { task.show(image) }
      case .deliver(let ids, let outcome): deliver(ids, outcome.result, to: receivers.next() ?? [])
      case .decode(let id, let body, let key, let priority):
        decode(id, body, key, priority, isAwaited: work.awaitedDecodes.contains(id))
      default: perform(action)
      }
    }
    assert(receivers.next() == nil, "a group of receivers for each action that has receivers")
  }

  private func perform(_ action: LoadAction) {
    switch action {
    case .lookUp(let id, let request, let priority):
      let need = state.withLock { $0.registry.need(of: id, findsPixels: pixelWriter != nil) }
      diskReader.lookUp(id, request, priority, need) { [self] find, headers in
        perform { $0.lookedUp(id, request, find, headers) }
        resumeIdleWaiters()
      }
    case .cancelLookup(let id): withdrawLookup(id)
    case .skipLookup(let id): skipLookup(id)
    case .keep(let bytes, let identity): keep(bytes, identity)
    case .discard(let identity): diskWriter.remove(identity)
    case .revalidate(let request, let identifier): revalidate(request, identifier)
    case .startFetch(let id, let request): transfers.start(id, request, for: self)
    case .prepareFetches(let questions): prepare(questions)
    case .checkLocks(let identities):
      preparer.check(identities) { [self] progress in perform { $0.registry.checkedLocks(progress) } }
    // See `perform(_ work:)` and `LoadState.work`.
    case .cancelFetch, .pauseFetch, .decode, .deliver, .moveTask, .serveCopy, .showMeanwhile: break
    case .wake(let time):
      clock.wake(at: time) { [weak self] in self?.woken(at: time) }
    case .announceRetry(let ids, let delay, let error):
      counters.withLock { $0.retries += 1 }
      for task in state.withLock({ $0.tasks(ids) }) { task.emit(.willRetry(after: delay, error)) }
    case .transform(let id, let image, let request, let priority):
      imageMaker.transform(id, image, request.transforms, priority) { [self] result, seconds in
        perform { $0.registry.transformEnded(id, result, seconds: seconds) }
      }
    case .cancelWork(let number):
      workers.cancel(number)
      diskReader.endDecode(DecodeID(number: number))
    case .reprioritizeWork(let number, let priority): workers.setPriority(priority.rawValue, of: number)
    case .store(let id, let image, let request, let identifier):
      guard storesOnMainQueue else { return store(id, image, request, identifier) }
      let reservation = imageMaker.reserve(image)
      MainActorQueue.main.post { [self] in
        reservation.end()
        if state.withLock({ $0.registry.loads.tree.isStoring(id) }) { store(id, image, request, identifier) }
      }
    case .storePixels(let pixels): pixelWriter?.store(pixels)
    }
  }

  /// - Parameter isAwaited: True if the first frame after a start waits for the decode.
  private func decode(
    _ id: DecodeID, _ body: [UInt8], _ key: DecodeKey, _ priority: ImageRequest.Priority, isAwaited: Bool
  ) {
    if isAwaited { diskReader.expectDecode(id) }
    imageMaker.decode(id, body, key, priority) { [self] result, seconds in
      perform { $0.decodeEnded(id, result, seconds: seconds) }
      if isAwaited { diskReader.endDecode(id) }
    }
  }

  private func store(
    _ id: ProcessedImageID, _ image: Image, _ request: ImageRequest, _ identifier: String?
  ) {
    imageStorer.store(id, image, request, identifier)
    perform { $0.storeEnded(id) }
  }

  private func deliver(
    _ ids: [TaskID], _ result: Result<ImageResponse, ImageError>, to tasks: [ImageTask]
  ) {
    let callerCount = tasks.count { $0.purpose != .storedImage }
    counters.withLock { $0.count(result, times: callerCount) }
    let outcome = TraceEvent.Outcome(result)
    for id in ids { trace.recordResponse(id.number, outcome) }
    if dataCache != nil { updateImagesInMemory(result, tasks) }
    for task in tasks {
      task.settle(task.request.keepsData || !task.request.decodes ? result : result.withoutData)
    }
    slotsEnded(tasks.count { $0.purpose.isSlot })
    if pending.end(ids.count) { resumeIdleWaiters() }
  }

  /// Notes that a slot is loading an image, for which disk writes wait.
  private func slotBegan() {
    diskWriter.slotBegan()
    pixelWriter?.slotBegan()
  }

  private func slotsEnded(_ count: Int) {
    guard count > 0 else { return }
    let bodyBytes = diskWriter.slotsEnded(count)
    pixelWriter?.slotsEnded(count, bodyBytes: bodyBytes)
  }

  /// Notes before the callers do which images in memory the server has confirmed, and which it could not be asked about.
  private func updateImagesInMemory(_ result: Result<ImageResponse, ImageError>, _ tasks: [ImageTask]) {
    switch result {
    case .success(let response):
      if response.freshness == .revalidated, let request = tasks.first?.request {
        imageStorer.limitTime(of: response.image, in: response, for: request)
      }
      staleImages.update(response.image, response.freshness)
    case .failure(.cancelled): break
    case .failure(let error):
      for task in tasks where task.purpose == .probe {
        staleImages.fail(task.request, task.additionalIdentifier, because: error)
      }
    }
  }

  // MARK: Disk

  /// Withdraws the lookup of a fetch that was removed. A lookup that has begun runs to its end.
  private func withdrawLookup(_ id: FetchID) {
    guard diskReader.withdraw(id) else { return }
    perform { $0.registry.lookupWithdrawn(id) }
    resumeIdleWaiters()
  }

  /// Continues without the disk, which has not responded in time. A lookup that runs or waits goes on, and its result may
  /// still be used.
  private func skipLookup(_ id: FetchID) {
    diskReader.forget(id)
    perform { $0.lookupSkipped(id) }
    resumeIdleWaiters()
  }

  private func keep(_ bytes: FetchedBytes, _ identity: RequestIdentity) {
    guard let storedResponse = bytes.storedResponse else { return }
    let completion: DiskWrites.Completion = { [storing = bytes.storing, lock = bytes.lock] isKept in
      // Released first, so that a caller who waits for the store finds the lock released or about to be.
      lock?.release()
      storing?.finish(isKept)
    }
    if let digest = bytes.digest {
      diskWriter.update(
        storedResponse, of: digest, for: identity, keeping: bytes.reservation, completion: completion)
    } else {
      diskWriter.store(
        storedResponse, for: identity, isBodyShared: bytes.isBodyShared, keeping: bytes.reservation,
        storing: pixelWriter == nil ? nil : bytes.storing, completion: completion)
    }
  }

  /// Called each time the disk has fallen behind the network or caught up.
  private func backlogChanged() { perform { $0.registry.setDiskBehind(diskWriter.isBehind) } }

  /// Blocks the calling thread until the disk lookups have ended and their images have been delivered to the main
  /// queue; see `ImageDownloader.waitForStoredImages(upTo:)`.
  func waitForStoredImages(upTo seconds: Double) { diskReader.waitUntilIdle(upTo: seconds) }

  /// Makes `waitForStoredImages(upTo:)` wait for the preparation of an image that has been delivered.
  func expectPreparation() { diskReader.expectPreparation() }

  /// Notes that a preparation has ended.
  func endPreparation() { diskReader.endPreparation() }

  /// Asks the disk cache before transfers.
  private func prepare(_ questions: [FetchQuestion]) {
    preparer.prepare(questions) { [weak self] request in
      self?.state.withLock { $0.readsResumableData(of: request) } ?? false
    } reading: { [weak self] id, bytes in
      self?.perform { $0.registry.readsResumableData(bytes, for: id) }
    } completion: { [self] answers in
      perform { $0.registry.prepared(answers) }
    }
  }

  /// Blocks until the responses loaded so far, and the resumable data of running and broken downloads, are written to
  /// disk, but no longer than a number of seconds.
  func finishWriting(within seconds: Double) {
    diskWriter.writeHeldResponses()
    if dataCache?.preparesFetches == true { transfers.storeResumableData(for: self) }
    let isWritten = DispatchSemaphore(value: 0)
    whenWritten { isWritten.signal() }
    _ = isWritten.wait(timeout: .now() + seconds)
  }

  /// Asks the server whether an image that was shown has changed. No caller waits for the response, which serves later
  /// requests.
  private func revalidate(_ request: ImageRequest, _ identifier: String?) {
    let task = ImageTask.revalidation(of: request, identifier)
    while !start(task, unlessStoredSince: storeCount, lookup: .bypassing(trace)) {}
  }

  // MARK: Time and network

  /// Called at the time of a `.wake`. Serves callers whose server has not responded in time with the stored response.
  private func woken(at time: Int64) {
    perform { $0.woken(at: time, by: self) }
    // A lookup that no load needs any more may have become late, and `isIdle` does not wait for it.
    resumeIdleWaiters()
  }

  /// Called each time the network has returned. Returns in quick succession are handled together.
  func networkReturned() {
    switch networkReturns.withLock({ $0.reported(at: clock.now) }) {
    case .act: actOnNetworkReturn()
    case .join: break
    case .wait(let time):
      clock.wake(at: time) { [weak self] in
        guard let self, networkReturns.withLock({ $0.woken(at: self.clock.now) }) else { return }
        actOnNetworkReturn()
      }
    }
  }

  func clockStepped() {
    recovery.clockStepped()
    connectivity.notify()
  }

  /// True if no request may leave. Does not wait for a lock.
  var isOffline: Bool { offline.load(ordering: .acquiring) }

  func setOffline(_ isOffline: Bool) {
    guard self.isOffline != isOffline else { return }
    perform { state in
      offline.store(isOffline, ordering: .releasing)
      return state.setOffline(isOffline)
    }
    // Another thread may have changed the switch meanwhile.
    var current: Bool
    repeat {
      current = self.isOffline
      recovery.setOffline(current)
      liveStreams.forEach { $0.setOffline(current) }
    } while self.isOffline != current
    if !current { connectivity.notify() }
  }

  /// Sends waiting and failed requests now, forgets remembered failures, and removes stale images from memory.
  private func actOnNetworkReturn() {
    if isOffline { return }
    staleImages.removeAll()
    perform { $0.networkReturned() }
    recovery.networkReturned()
    liveStreams.forEach { $0.networkReturned() }
    connectivity.notify()
  }
}

extension LoadEngine: FetchReceiverDelegate {
  func fetchBegins(_ receiver: FetchReceiver) -> Bool {
    state.withLock { $0.fetchBegins(receiver) }
  }

  func responseArrived(_ response: TransportResponse, of receiver: FetchReceiver) {
    transfers.responseArrived(response, of: receiver, for: self)
  }

  func bytesArrived(_ beginning: PreviewSchedule.Beginning, of receiver: FetchReceiver) -> Int64 {
    previews.bytesArrived(beginning, of: receiver)
  }

  func fetchEnded(_ receiver: FetchReceiver, _ end: FetchEnd, resumable: ResumableData?) {
    transfers.ended(receiver, end, resumable, for: self)
  }

  func count(_ metrics: TransportMetrics) { counters.withLock { $0.count(metrics) } }

  func transportEnded() { if pending.end() { resumeIdleWaiters() } }
}
