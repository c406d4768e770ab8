import VitrineConcurrency
import VitrineGraphics

/// The state of all loads. Makes decisions only: each input returns the actions to perform.
///
/// Running work can be joined at three levels: bytes, decoded pixels, processed image. A caller that leaves does not
/// affect the other callers. The last caller to leave stops the work, level by level.
///
/// The parts know nothing of one another: `StageTree` knows who waits for what, `TransferPlan` which download runs when,
/// `LookupLine` which look-up runs when, `DiskPlan` what is shown from disk and stored there, and `PreviewPlan` the
/// previews. The registry passes the consequences of a change from one part to the others.
struct LoadRegistry {
  /// The current time in nanoseconds. The engine sets this before each input.
  var now: Int64 = 0
  /// The number of undecoded bytes at which no further download or look-up starts. A network that is faster than the
  /// decoders would otherwise fill the memory.
  private let undecodedBytesLimit: Int
  private let hasDisk: Bool
  private(set) var tree: StageTree
  private(set) var transfers: TransferPlan
  private(set) var lookups = LookupLine()
  private(set) var disk: DiskPlan
  /// The previews, which depend on no other part but the tree.
  var previews = PreviewPlan()
  private var varying = VaryingHeaders()
  /// The time at which `woken(at:)` is to be called; `nil` if no call is scheduled.
  private var nextWake: Int64?
  private var actions: [LoadAction] = []

  /// - Parameters:
  ///   - firstNumber: The number below all numbers that the registry assigns.
  ///   - hasDisk: True if there is a disk cache.
  ///   - staleAfter: The number of seconds to wait for a server before a stale response is shown.
  ///   - copyLimit: The number of bytes of stored responses in memory at which further look-ups wait.
  ///   - retries: The policy for retrying failed downloads.
  ///   - totalLimit: The time limit for all attempts of a download, in seconds.
  ///   - random: Returns a random number from 0 to 1, for the delay of retries.
  init(
    firstNumber: UInt64 = 0, undecodedBytesLimit: Int = .max, hasDisk: Bool = false,
    staleAfter: Double = .infinity, copyLimit: Int = .max, retries: RetryPolicy = .none,
    totalLimit: Double = .infinity, random: @escaping @Sendable () -> Double = { .random(in: 0...1) }
  ) {
    self.undecodedBytesLimit = undecodedBytesLimit
    self.hasDisk = hasDisk
    tree = StageTree(firstNumber: firstNumber)
    transfers = TransferPlan(retries: retries, totalLimit: totalLimit, random: random)
    disk = DiskPlan(isEnabled: hasDisk, staleAfter: staleAfter, copyLimit: copyLimit)
  }

  // MARK: Contents

  /// The limits and the order of downloads. Call `admitted()` after a change.
  var queue: DownloadQueue {
    get { transfers.queue }
    _modify { yield &transfers.queue }
  }

  /// The number of waiting callers.
  var waiterCount: Int { tree.waiterCount }
  var isEmpty: Bool { tree.isEmpty }

  /// Returns the fetch that a caller waits for.
  func fetch(of task: TaskID) -> FetchID? { tree.fetch(of: task) }

  /// Returns the identity including the headers that the server has named in `Vary`.
  func counting(_ identity: RequestIdentity) -> RequestIdentity {
    identity.addingHeaders(named: varying.names(for: identity.url))
  }

  /// Returns the freshness of an image, or `nil` if no caller waits for the image any more. Always `.fresh` without a
  /// disk cache.
  func freshness(of processedImage: ProcessedImageID) -> ImageResponse.Freshness? {
    guard hasDisk else { return .fresh }
    return tree[processedImage].flatMap { tree[$0.decode]?.bytes?.freshness }
  }

  /// Returns the stored response that the server is asked about.
  func copy(of fetch: FetchID) -> StoredCopy? { disk[fetch].copy }

  /// Returns true if a new image replaces all other sizes in the cache; see `StageTree.replacesOtherSizes`.
  mutating func replacesOtherSizes(_ id: ProcessedImageID, _ request: ImageRequest) -> Bool {
    tree.replacesOtherSizes(id, request)
  }

  // MARK: Callers

  /// Adds a caller that waits for an image. Joins running work at the deepest possible level, and starts the rest.
  mutating func start(
    _ request: ImageRequest, additionalIdentifier: String? = nil, lane: DownloadQueue.Lane,
    isPaused: Bool = false, isProbe: Bool = false
  ) -> (task: TaskID, actions: [LoadAction]) {
    let task = join(request, additionalIdentifier, lane, isPaused: isPaused, isProbe: isProbe)
    return (task, admitted())
  }

  private mutating func join(
    _ request: ImageRequest, _ additionalIdentifier: String?, _ lane: DownloadQueue.Lane,
    as task: TaskID? = nil, isPaused: Bool, isProbe: Bool
  ) -> TaskID {
    let place = tree.join(
      request, additionalIdentifier, fetch: fetchToJoin(request), as: task, isPaused: isPaused,
      isProbe: isProbe)
    if place.isNewFetch { transfers.add(place.fetch, lane: lane, at: now) }
    apply(place.demand)
    if !transfers.isLocal(place.fetch), disk.join(place.fetch, request) {
      // The bytes may have been decoded already.
      for decode in (tree[place.fetch]?.decodes ?? []).compactMap({ tree[$0] }) {
        if case .decoded = decode.phase { keep(decode) }
      }
    }
    if place.isNewFetch {
      enqueue(place.fetch, request.priority)
    } else if place.isNewDecode {
      beginDecode(place.decode)
    } else if place.isNewProcessedImage {
      beginProcessing(place.processedImage)
    }
    if !place.isNewFetch, tree[place.task]?.takesCopy == true { limitWaiting(place.fetch) }
    holdOrRelease(place.fetch)
    return place.task
  }

  /// Returns the running fetch of these bytes that also serves `request`, if there is one.
  private func fetchToJoin(_ request: ImageRequest) -> FetchID? {
    let (identity, policy) = (request.identity, request.cachePolicy)
    if let id = tree.fetch(FetchKey(request: identity, isCacheOnly: false)), tree.mayJoin(id, policy),
      policy != .reload || disk[id].copy == nil
    {
      return id
    }
    return policy == .cacheOnly ? tree.fetch(FetchKey(request: identity, isCacheOnly: true)) : nil
  }

  /// Removes a caller, which receives `.cancelled`. Does nothing if the caller has received a result.
  mutating func cancel(_ task: TaskID) -> [LoadAction] {
    guard let fetch = tree.fetch(of: task), let processedImage = leave(task) else { return [] }
    actions.append(.deliver([task], .failure(.cancelled)))
    removeIfUnwanted(processedImage)
    holdOrRelease(fetch)
    return admitted()
  }

  /// Removes all callers, which receive `.cancelled` in order of registration, and stops all work.
  mutating func cancelAll() -> [LoadAction] {
    let tasks = tree.tasks
    if !tasks.isEmpty { actions.append(.deliver(tasks, .failure(.cancelled))) }
    // All callers are removed before any stage, so that no stage has a caller to notify when it is removed.
    for processedImage in tasks.compactMap({ leave($0) }) { removeIfUnwanted(processedImage) }
    return taken()
  }

  mutating func setPriority(_ priority: ImageRequest.Priority, of task: TaskID) -> [LoadAction] {
    guard let change = tree.setPriority(priority, of: task) else { return [] }
    apply(change)
    return taken()
  }

  /// Pauses or resumes a caller. A transfer is stopped when all callers have paused. Bytes that have been received are
  /// processed nevertheless.
  mutating func setPaused(_ isPaused: Bool, _ task: TaskID) -> [LoadAction] {
    guard let fetch = tree.fetch(of: task), let change = tree.setPaused(isPaused, task) else { return [] }
    apply(change)
    holdOrRelease(fetch)
    return admitted()
  }

  /// Removes a caller. Returns the image for which the caller waited, which may now have no callers.
  private mutating func leave(_ task: TaskID) -> ProcessedImageID? {
    guard let (processedImage, change) = tree.leave(task) else { return nil }
    apply(change)
    disk.noteChange()
    return processedImage
  }

  /// Moves work that waits to the position of its new priority.
  private mutating func apply(_ change: StageTree.DemandChange) {
    if let (number, priority) = change.transform {
      actions.append(.reprioritizeWork(number: number, priority))
    }
    if let (number, priority) = change.decode { actions.append(.reprioritizeWork(number: number, priority)) }
    guard let (id, priority) = change.fetch else { return }
    if lookups.isWaiting(id) {
      lookups.enqueue(id, priority: priority, arrival: transfers.queue.nextArrival(at: now), at: now)
    }
    // The download may wait as well, if the network has gone ahead of a waiting look-up.
    transfers.queue.setPriority(priority, of: id, at: now)
  }

  // MARK: Time and network

  /// Continues downloads that wait for a server or for the next attempt, because the network has returned.
  mutating func networkReturned() -> [LoadAction] {
    transfers.queue.networkReturned()
    return admitted()
  }

  /// Called at the time of a `.wake`.
  mutating func woken(at time: Int64) -> [LoadAction] {
    if nextWake == time { nextWake = nil }
    return admitted()
  }

  /// Starts the look-ups and downloads that may begin now. Returns all pending actions.
  mutating func admitted() -> [LoadAction] {
    startWaiting()
    return taken()
  }

  private mutating func startWaiting() {
    beginLookUps()
    while tree.undecodedBytes < undecodedBytesLimit, let id = transfers.startNext(at: now) {
      tree.setPhase(.running, of: id)
      if let request = tree[id]?.request { actions.append(.startFetch(id, request)) }
    }
    let next = [transfers.queue.nextChange(after: now), lookups.nextChange].compactMap { $0 }.min()
    if let time = next, time < nextWake ?? .max {
      nextWake = time
      actions.append(.wake(at: time))
    }
  }

  private mutating func taken() -> [LoadAction] {
    defer { actions = [] }
    return actions
  }

  // MARK: Transfers

  /// Handles the end of an attempt.
  mutating func fetchEnded(_ id: FetchID, _ end: FetchEnd) -> [LoadAction] {
    guard tree.isRunning(id), let fetch = tree[id] else { return [] }
    transfers.ended(id, end, at: now)
    tree.setPhase(.idle, of: id)
    switch end.outcome {
    case .bytes(let bytes) where bytes.body.isEmpty:
      if !showsCopy(id, because: .emptyBody), !waitsForLookUp(id, because: .emptyBody) {
        fail(id, .emptyBody)
      }
    case .bytes(let bytes): received(bytes, id)
    // The request was not conditional.
    case .notModified: fail(id, .status(304))
    case .needsWhole:
      if transfers.restart(id) {
        transfers.retry(id, fetch.demand.priority, notBefore: now)
      } else {
        fail(id, .status(416))
      }
    case .failed(let error):
      if showsCopy(id, because: error) { break }
      if !tree.isProbe(id),
        let delay = transfers.retryDelay(id, after: error, retryAfter: end.retryAfter)
      {
        transfers.retry(id, fetch.demand.priority, notBefore: now.advanced(bySeconds: delay))
        actions.append(.announceRetry(tree.tasks(of: id), after: delay, error))
      } else if !waitsForLookUp(id, because: error) {
        if error.endsStorage { discard(id) }
        fail(id, error)
      }
    }
    return admitted()
  }

  /// Holds a download if all callers have paused: removes it from the queue or stops the transfer. Enqueues a held
  /// download again if a caller needs the bytes now.
  private mutating func holdOrRelease(_ id: FetchID) {
    guard let fetch = tree[id] else { return }
    disk.noteChange()
    guard let priority = fetch.demand.priority else {
      switch fetch.phase {
      // The disk look-up takes place nevertheless.
      case .idle where disk[id].isLookedUp || transfers.isHeld(id): return
      case .idle: transfers.hold(id, isRunning: false, at: now)
      case .running:
        actions.append(.pauseFetch(id))
        tree.setPhase(.idle, of: id)
        transfers.hold(id, isRunning: true, at: now)
      case .lookingUp, .received: return
      }
      return
    }
    guard transfers.isHeld(id) else { return }
    transfers.release(id)
    if disk.takeIsReleased(id) { return enqueue(id, priority) }
    transfers.enqueueAgain(id, priority, at: now)
    limitWaiting(id)
  }

  /// Adds a new fetch to the queue of disk look-ups, or to the queue of downloads if the disk is not asked.
  private mutating func enqueue(_ id: FetchID, _ priority: ImageRequest.Priority) {
    guard disk.beginsWithLookUp(id) else { return transfers.enqueue(id, priority, at: now) }
    lookups.enqueue(id, priority: priority, arrival: transfers.arrive(id, at: now), at: now)
  }

  private mutating func goToServer(_ id: FetchID) {
    guard let fetch = tree[id] else { return }
    transfers.enqueueAfterLookUp(id, fetch.demand.priority, at: now)
    if fetch.demand.priority != nil { limitWaiting(id) }
  }

  // MARK: Stages

  private mutating func received(_ bytes: FetchedBytes, _ id: FetchID) {
    guard let fetch = tree[id] else { return }
    tree.setPhase(.received(bytes), of: id)
    disk.received(id)
    for decode in fetch.decodes.sorted() { beginDecode(decode) }
  }

  private mutating func beginDecode(_ id: DecodeID) {
    guard let bytes = tree.beginDecode(id), let decode = tree[id] else { return }
    endPreviews(of: id)
    actions.append(.decode(id, bytes.body, decode.key, decode.demand.priority ?? .normal))
  }

  mutating func decodeEnded(_ id: DecodeID, _ result: Result<Image, ImageError>) -> [LoadAction] {
    guard let decode = tree.endDecode(id) else { return [] }
    switch result {
    case .success(let image):
      keep(decode)
      outdateOlder(than: decode.fetch)
      tree.setDecoded(image, id)
      for processedImage in decode.processedImages.sorted() { beginProcessing(processedImage) }
      settleDamage(decode.fetch)
    case .failure(let error):
      if !findsOtherBytes(for: decode.fetch, after: error) { finish(decode.processedImages, .failure(error)) }
    }
    return admitted()
  }

  /// Marks the fetches that `id` has overtaken as outdated, because the bytes of `id` are newer.
  private mutating func outdateOlder(than id: FetchID) {
    var next = tree[id]?.overtaken
    while let id = next {
      disk.outdate(id)
      next = tree.outdate(id)
    }
  }

  /// Starts the transforms of an image if the decode has ended, or stores the image if there are no transforms.
  private mutating func beginProcessing(_ id: ProcessedImageID) {
    guard let processedImage = tree[id], case .decoded(let image) = tree[processedImage.decode]?.phase else {
      return
    }
    guard !processedImage.request.transforms.isEmpty else { return beginStoring(id, image) }
    tree.setPhase(.transforming, of: id)
    actions.append(
      .transform(id, image, processedImage.request, processedImage.demand.priority ?? .normal))
  }

  mutating func transformEnded(_ id: ProcessedImageID, _ result: Result<Image, ImageError>) -> [LoadAction] {
    guard case .transforming = tree[id]?.phase else { return [] }
    tree.setPhase(.idle, of: id)
    switch result {
    case .success(let image): beginStoring(id, image)
    case .failure(let error): finish([id], .failure(error))
    }
    return admitted()
  }

  private mutating func beginStoring(_ id: ProcessedImageID, _ image: Image) {
    guard let processedImage = tree[id], let fetch = tree.fetch(of: id) else { return }
    tree.setPhase(.storing(image), of: id)
    var request = processedImage.request
    if tree[fetch]?.isOutdated == true { request.cache = .none }
    actions.append(.store(id, image, request, additionalIdentifier: processedImage.additionalIdentifier))
  }

  /// Delivers an image to the callers that have joined so far, after the cache was offered the image. Later requests
  /// are served by the cache.
  mutating func storeEnded(_ id: ProcessedImageID) -> [LoadAction] {
    guard let processedImage = tree[id], case .storing(let image) = processedImage.phase,
      let decode = tree[processedImage.decode], let fetch = tree[decode.fetch], let bytes = decode.bytes
    else { return [] }
    var response = ImageResponse(
      image: image, source: fetch.request.isLocal ? .file : bytes.source, http: bytes.response,
      metrics: bytes.metrics, freshness: bytes.freshness, data: bytes.body)
    if disk[decode.fetch].isSettled { response.storing = bytes.storing }
    finish([id], .success(response))
    return admitted()
  }

  private mutating func fail(_ id: FetchID, _ error: ImageError) {
    finish(Set(tree.images(of: id)), .failure(error))
  }

  /// Delivers an outcome to all callers of the images `ids`, in order of registration, and removes the images.
  private mutating func finish(_ ids: Set<ProcessedImageID>, _ outcome: LoadOutcome) {
    let tasks = tree.tasks(of: ids)
    // A fetch that replaces damaged bytes goes on for the remaining callers, unless all of them have paused.
    let healing = hasDisk ? Set(tasks.compactMap { tree.fetch(of: $0) }) : []
    actions.append(.deliver(tasks, outcome))
    for task in tasks { _ = leave(task) }
    for id in ids { removeIfUnwanted(id) }
    for fetch in healing { holdOrRelease(fetch) }
  }

  private mutating func removeIfUnwanted(_ id: ProcessedImageID) {
    guard let (decode, wasTransforming) = tree.removeIfUnwanted(id) else { return }
    if wasTransforming { actions.append(.cancelWork(number: id.number)) }
    removeIfUnwanted(decode)
  }

  private mutating func removeIfUnwanted(_ id: DecodeID) {
    guard let (fetch, wasRunning) = tree.removeIfUnwanted(id) else { return }
    if wasRunning { actions.append(.cancelWork(number: id.number)) }
    endPreviews(of: id)
    settleDamage(fetch)
    removeIfUnwanted(fetch)
  }

  private mutating func removeIfUnwanted(_ id: FetchID) {
    guard let phase = tree.removeIfUnwanted(id) else { return }
    switch phase {
    case .running: actions.append(.cancelFetch(id))
    case .lookingUp: actions.append(.cancelLookUp(id))
    case .idle, .received: break
    }
    lookups.leave(id)
    transfers.remove(id, at: now)
    disk.remove(id)
  }

  // MARK: Headers named in Vary

  /// Learns the headers that a response names in `Vary` (RFC 9110, 12.5.5). A caller that has sent another value of
  /// such a header than the fetch leaves the fetch, and sends a request of its own.
  ///
  /// - Parameters:
  ///   - sent: Digests of the credentials that the transport has added; `nil` if unknown, or if the transport never
  ///     adds any.
  ///   - current: Digests of the credentials that the transport would add to another request.
  ///   - request: Returns the request of a caller, with the headers as given.
  /// - Returns: The identity that the fetch has from now on; `nil` for no change.
  mutating func responded(
    _ id: FetchID, _ headers: HTTPHeaders, sent: CredentialDigests? = nil, current: CredentialDigests? = nil,
    request: (TaskID) -> ImageRequest?
  ) -> (identity: RequestIdentity?, actions: [LoadAction]) {
    guard let asked = tree[id]?.request.identity else { return (nil, []) }
    let fetched = sent.map { asked.sentWith($0) } ?? asked
    varying.learn(from: headers, for: fetched.url)
    let names = varying.names(for: fetched.url)
    guard !names.isEmpty || fetched != asked else { return (nil, []) }
    let responded = fetched.addingHeaders(named: names)
    // A fetch with the new identity may be under way already, if the names were known earlier and forgotten since.
    let isUnderWay = responded != asked && tree.isFetching(responded)
    var others: [(TaskID, Waiter, ImageRequest, additionalIdentifier: String?)] = []
    for task in tree.tasks(of: id) {
      guard let waiter = tree[task], var request = request(task) else { continue }
      let own = request.identity
      // A load that joined with the same credentials as the first shares the response, even if the credentials changed
      // later.
      if let sent, own.credentials == asked.credentials { request.identity = own.sentWith(sent) }
      request.identity = request.identity.addingHeaders(named: names)
      if request.identity == responded, !isUnderWay { continue }
      if let current { request.identity = own.sentWith(current).addingHeaders(named: names) }
      request.priority = waiter.priority
      others.append((task, waiter, request, tree[waiter.processedImage]?.additionalIdentifier))
    }
    for (task, _, _, _) in others {
      if let processedImage = leave(task) { removeIfUnwanted(processedImage) }
      holdOrRelease(id)
      startWaiting()
    }
    tree.setIdentity(responded, of: id)
    for (task, waiter, request, additionalIdentifier) in others {
      _ = join(
        request, additionalIdentifier, .init(request.url), as: task, isPaused: waiter.isPaused,
        isProbe: waiter.isProbe)
      if let fetch = tree.fetch(of: task) { actions.append(.moveTask(task, from: id, to: fetch)) }
      startWaiting()
    }
    return (responded, taken())
  }

  // MARK: Disk look-ups

  /// Starts the look-ups that may begin now, and sends fetches with a late look-up to the network.
  private mutating func beginLookUps() {
    for id in lookups.takeLate(at: now) {
      guard let fetch = tree[id], case .lookingUp = fetch.phase, !fetch.isCacheOnly,
        disk[id].serverError == nil
      else { continue }
      actions.append(.skipLookUp(id))
    }
    for id in lookups.takeOverdue(at: now) where tree[id]?.isCacheOnly == false {
      actions.append(.skipLookUp(id))
    }
    for id in lookups.takeLost(at: now) {
      if case .lookingUp = tree[id]?.phase { giveUpLookUp(id) }
    }
    while lookups.hasWaiting, tree.undecodedBytes < undecodedBytesLimit, fitsMoreCopies(),
      let id = lookups.startNext(queue.order, isSuspended: queue.isSuspended, at: now)
    {
      guard let fetch = tree[id] else {
        lookups.ended(id)
        continue
      }
      disk.leaveLookUps(id)
      guard !disk[id].isLate else {
        beginLateLookUp(id, fetch)
        continue
      }
      tree.setPhase(.lookingUp, of: id)
      actions.append(
        lookups.isBlocked
          ? .skipLookUp(id) : .lookUp(id, fetch.request, fetch.demand.priority ?? .normal))
    }
    lookups.setStopped(queue.isSuspended || tree.undecodedBytes >= undecodedBytesLimit, at: now)
  }

  /// Starts a look-up although the network has gone ahead, unless the response has been received.
  private mutating func beginLateLookUp(_ id: FetchID, _ fetch: Fetch) {
    switch fetch.phase {
    case .received: lookups.ended(id)
    case .lookingUp where lookups.isBlocked: giveUpLookUp(id)
    case .idle, .running, .lookingUp:
      guard !lookups.isBlocked else { return }
      actions.append(.lookUp(id, fetch.request, fetch.demand.priority ?? .normal))
    }
  }

  /// Fails a fetch whose disk look-up does not return, if the fetch cannot wait for the server instead.
  private mutating func giveUpLookUp(_ id: FetchID) {
    let isCacheOnly = tree[id]?.isCacheOnly ?? false
    guard let error = disk.takeServerError(id) ?? (isCacheOnly ? .notCached : nil) else { return }
    tree.setPhase(.idle, of: id)
    fail(id, error)
  }

  /// Makes a fetch whose server has failed wait for the late look-up. Returns false if there is none, or if the stored
  /// response may not be shown instead.
  private mutating func waitsForLookUp(_ id: FetchID, because error: ImageError) -> Bool {
    guard lookups.isPending(id), !tree.isProbe(id), disk.waitsForLookUp(id, because: error) else {
      return false
    }
    tree.setPhase(.lookingUp, of: id)
    return true
  }

  /// Ends a look-up that was withdrawn before the start.
  mutating func lookUpWithdrawn(_ id: FetchID) -> [LoadAction] {
    lookups.ended(id)
    // A fetch whose server has failed has nothing else to wait for.
    if disk[id].serverError != nil { giveUpLookUp(id) }
    return admitted()
  }

  /// Sends a fetch to the network because the disk has not answered in time.
  ///
  /// - Parameter failure: The remembered failure of an earlier request, if the server refused it a short time ago.
  mutating func lookUpSkipped(_ id: FetchID, _ failure: ImageError?) -> [LoadAction] {
    guard let fetch = tree[id], disk[id].serverError == nil else { return [] }
    switch fetch.phase {
    case .lookingUp: break
    case .idle where lookups.isWaiting(id) && !disk[id].isLate: break
    case .idle, .running, .received: return []
    }
    tree.setPhase(.idle, of: id)
    disk.goAhead(id)
    if fetch.isCacheOnly {
      fail(id, .notCached)
    } else if let failure, disk[id].use == .byFreshness {
      fail(id, failure)
    } else {
      goToServer(id)
    }
    return admitted()
  }

  /// Handles the result of a disk look-up.
  mutating func lookedUp(_ id: FetchID, _ find: DiskFind) -> [LoadAction] {
    lookups.ended(id)
    guard let fetch = tree[id], case .lookingUp = fetch.phase else {
      foundLate(id, find)
      return admitted()
    }
    tree.setPhase(.idle, of: id)
    switch disk.lookedUp(id, find, isCacheOnly: fetch.isCacheOnly) {
    case .show(let bytes): received(bytes, id)
    case .showAndRevalidate(let bytes):
      received(bytes, id)
      revalidate(id)
    case .showCopy(let error): if !showsCopy(id, because: error) { fail(id, error) }
    case .fail(let error): fail(id, error)
    case .askServer: goToServer(id)
    }
    return admitted()
  }

  /// Handles a look-up that returns after the network request was started. A fresh response is shown if the server has
  /// not answered yet; a stale response is kept in case the server fails.
  private mutating func foundLate(_ id: FetchID, _ find: DiskFind) {
    guard let fetch = tree[id], let (copy, isFresh) = disk.foundLate(id, find) else { return }
    switch fetch.phase {
    case .idle where isFresh: transfers.leaveQueue(id)
    case .running where isFresh && !find.serverHasResponded:
      actions.append(.cancelFetch(id))
      transfers.stopped(id, at: now)
    case .idle, .running:
      disk.setCopy(disk[id].copy ?? copy, of: id)
      return limitWaiting(id)
    case .lookingUp, .received: return
    }
    received(copy.freshBytes, id)
  }

  /// Requests a revalidation for every image of a fetch that shows a stale response. Requests that use the disk cache
  /// come first, because only these have the validators of the stored response.
  private mutating func revalidate(_ id: FetchID) {
    let shown = tree.images(of: id).sorted().compactMap { tree[$0] }
    for image in shown.filter(\.request.cache.usesDisk) + shown.filter({ !$0.request.cache.usesDisk }) {
      actions.append(.revalidate(image.request, additionalIdentifier: image.additionalIdentifier))
    }
  }

  // MARK: Stored responses

  /// Drops the stored response, because the response of the server does not match. The request is then sent without a
  /// condition.
  mutating func dropCopy(of fetch: FetchID) { disk.setCopy(nil, of: fetch) }

  /// Shows the stored response, because the server has failed. Returns false if there is none, or if the rules do not
  /// allow showing it.
  private mutating func showsCopy(_ id: FetchID, because error: ImageError) -> Bool {
    guard disk[id].copy != nil, !tree.isProbe(id), let copy = disk.takeCopy(of: id, because: error) else {
      return false
    }
    received(copy.staleBytes(because: error), id)
    return true
  }

  /// Stores the response on disk after a successful decode, or removes the stored response if storing is forbidden.
  /// Done once for the received bytes of a fetch.
  private mutating func keep(_ decode: Decode) {
    guard let bytes = decode.bytes, let identity = tree[decode.fetch]?.request.identity,
      disk.settle(decode.fetch)
    else { return }
    if bytes.storedResponse != nil {
      actions.append(.keep(bytes, identity))
    } else if bytes.endsStorage || bytes.source == .network && bytes.response?.status == 200 {
      // The new response must not be stored.
      discard(decode.fetch)
    }
  }

  /// Removes the stored response, if a request of the fetch uses the disk cache.
  private mutating func discard(_ id: FetchID) {
    if let identity = tree[id]?.request.identity, disk[id].isKept { actions.append(.discard(identity)) }
  }

  /// Returns true if look-ups may begin. Releases stored responses that are not shown after `staleAfter` if there is no
  /// room for more: their servers are asked without a condition, or the disk is read again.
  ///
  /// The other responses are shown after `staleAfter` at the latest and then make room, so that a look-up that waits
  /// here leaves no view without its image for long.
  private mutating func fitsMoreCopies() -> Bool {
    for id in disk.takeCandidates() where disk.isFull {
      switch tree[id]?.phase {
      case .idle where transfers.isHeld(id): disk.releaseHeldCopy(of: id)
      case .idle, .running: if !mayServeCopy(id) { disk.setCopy(nil, of: id) }
      case .lookingUp, .received, nil: break
      }
    }
    return !disk.isFull
  }

  /// Decides whether other bytes are decoded in place of the damaged bytes of a fetch.
  private mutating func findsOtherBytes(for id: FetchID, after error: ImageError) -> Bool {
    guard case .received(let bytes) = tree[id]?.phase,
      disk.findsOtherBytes(for: id, from: bytes.source, after: error, isProbe: tree.isProbe(id))
    else { return false }
    settleDamage(id)
    return true
  }

  /// Replaces damaged bytes as soon as no decode reads the bytes any more.
  private mutating func settleDamage(_ id: FetchID) {
    guard hasDisk, let fetch = tree[id], fetch.unfinishedDecodes == 0,
      case .received(let bytes) = fetch.phase,
      let damage = disk.takeDamage(id)
    else { return }
    tree.setPhase(.idle, of: id)
    if bytes.source == .network, showsCopy(id, because: damage) { return }
    disk.heal(id)
    discard(id)
    // Cache-only requests fail with the error of the decode.
    refuse(tree.tasks(of: id).filter { tree[$0]?.isCacheOnly == true }, damage)
    goToServer(id)
  }

  /// Fails some of the callers that wait for a fetch.
  private mutating func refuse(_ tasks: [TaskID], _ error: ImageError) {
    guard !tasks.isEmpty else { return }
    actions.append(.deliver(tasks, .failure(error)))
    for processedImage in tasks.compactMap({ leave($0) }) { removeIfUnwanted(processedImage) }
  }

  // MARK: Servers that do not answer in time

  /// Sets the deadline after which the callers of a fetch get the stored response, if that may be shown.
  private mutating func limitWaiting(_ id: FetchID) {
    if mayServeCopy(id), let wake = disk.limitWaiting(id, at: now) { actions.append(.wake(at: wake)) }
  }

  /// True if callers wait for the server although the stored response may be shown.
  private func mayServeCopy(_ id: FetchID) -> Bool {
    guard disk[id].copy?.mayShowOnError == true else { return false }
    return switch tree[id]?.phase {
    case .idle, .running: tree.images(of: id).contains { tree.takesCopy($0) }
    case .lookingUp, .received, nil: false
    }
  }

  /// Returns the fetches whose callers are to be served by `serveCopy`.
  mutating func overdueCopies() -> [FetchID] {
    let (due, next) = disk.takeOverdue(at: now)
    if let next { actions.append(.wake(at: next)) }
    return due.filter { mayServeCopy($0) }
  }

  /// Returns the images that the callers of a fetch wait for. Probes load these images after the callers got the stored
  /// response.
  func imagesAwaited(from id: FetchID) -> [(request: ImageRequest, additionalIdentifier: String?)] {
    tree.images(of: id).sorted().filter { tree.takesCopy($0) }.compactMap { tree[$0] }
      .map { ($0.request, $0.additionalIdentifier) }
  }

  /// Moves the callers of a fetch to a new fetch that decodes the stored response. The original fetch goes on for the
  /// remaining tasks, and is cancelled if there are none.
  mutating func serveCopy(of id: FetchID) -> [LoadAction] {
    guard mayServeCopy(id), let copy = disk[id].copy, let lane = transfers.lane(of: id),
      let stored = tree.addFetchOfCopy(of: id)
    else { return taken() }
    transfers.add(stored, lane: lane, at: now)
    disk.add(stored)
    for task in tree.tasks(of: id) where tree[task]?.takesCopy == true {
      guard let (processedImage, left, joined) = tree.move(task, to: stored) else { continue }
      apply(left)
      apply(joined)
      actions.append(.moveTask(task, from: id, to: stored))
      removeIfUnwanted(processedImage)
    }
    disk.noteChange()
    received(copy.staleBytes(), stored)
    holdOrRelease(id)
    return admitted()
  }

  private mutating func endPreviews(of id: DecodeID) {
    for job in previews.end(of: id) { actions.append(.cancelWork(number: job)) }
  }
}
